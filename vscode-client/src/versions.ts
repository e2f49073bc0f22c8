/** Whether the client and a server of another origin understand each other. */

/** The first version number in what a program printed, e.g. `0.1.0` of `akm-ls 0.1.0`. */
export function versionOf(text: string): string | undefined {
  return /\b\d+\.\d+\.\d+[\w.+-]*/.exec(text)?.[0];
}

/**
 * What to tell the user about the server's version; undefined when it fits.
 *
 * Before 1.0 the second number counts: 0.2 may lack what 0.3 has. Fixes (the third) always fit.
 */
export function versionProblem(server: string | undefined, client: string): string | undefined {
  const theirs = significant(server);
  const ours = significant(client);
  if (theirs === undefined || ours === undefined) {
    return server === undefined
      ? "The server does not say which version it is; it may be older than this extension."
      : undefined;
  }
  const order = theirs[0] - ours[0] || theirs[1] - ours[1];
  if (order === 0) {
    return undefined;
  }
  return order < 0
    ? `The server is akm-ls ${server ?? ""}, older than this extension (${client}): update the server.`
    : `The server is akm-ls ${server ?? ""}, newer than this extension (${client}): update the extension.`;
}

function significant(version: string | undefined): [number, number] | undefined {
  const match = /^(\d+)\.(\d+)\./.exec(`${version ?? ""}.`);
  if (match === null) {
    return undefined;
  }
  const major = Number(match[1]);
  return [major, major === 0 ? Number(match[2]) : 0];
}

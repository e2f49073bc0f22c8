/** What the Python extension says, when it is there: which interpreter this workspace uses. */

import * as vscode from "vscode";

/** The part of its API that is used; https://github.com/microsoft/vscode-python has the whole. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: { readonly path: string }): Promise<
      { readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined
    >;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

const PATIENCE_MS = 5_000;

/** The interpreter's file; undefined without the extension, or when it takes too long to say. */
export async function activeInterpreter(): Promise<string | undefined> {
  const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
  return within(PATIENCE_MS, async () => {
    const api = await pythonApi();
    if (api === undefined) {
      return undefined;
    }
    const environment = await api.environments.resolveEnvironment(
      api.environments.getActiveEnvironmentPath(resource),
    );
    return environment?.executable.uri?.fsPath;
  });
}

/** Tells when another interpreter is chosen; does nothing without the extension. */
export async function onInterpreterChange(listener: () => void): Promise<vscode.Disposable | undefined> {
  const api = await within(PATIENCE_MS, pythonApi);
  return api?.environments.onDidChangeActiveEnvironmentPath(listener);
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi>>("ms-python.python");
  const api = extension?.isActive === true ? extension.exports : await extension?.activate();
  return api?.environments === undefined ? undefined : (api as PythonApi);
}

async function within<T>(milliseconds: number, ask: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Quotes a path for the shell, so that a command in a message works when it is pasted. */
export function shellWord(path: string): string {
  return /^[\w./+@%:=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** Quotes a path for the shell, so that a message can print a command that works when it is pasted. */
export function shellWord(path: string): string {
  return /^[\w./+@%:=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

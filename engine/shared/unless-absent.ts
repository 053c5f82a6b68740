/** Also where a path leads through a file, so that nothing can be there. */
export const NO_PATH: readonly string[] = ['ENOENT', 'ENOTDIR']

/**
 * What a call of the file system gives; `undefined` where there is no such file or folder. That it
 * may not be looked at, or cannot be now, is not the same: that is thrown.
 * @param codes of the system that mean so; left out, ENOENT alone
 */
export async function unlessAbsent<Result>(
  call: Promise<Result>,
  codes: readonly string[] = ['ENOENT'],
): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Error && 'code' in error && codes.includes(String(error.code))) {
      return undefined
    }
    throw error
  }
}

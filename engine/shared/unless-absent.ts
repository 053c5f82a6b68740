/** Error codes for a missing path, including a path that leads through a file. */
export const NO_PATH: readonly string[] = ['ENOENT', 'ENOTDIR']

/**
 * Returns the result of a file system call, or `undefined` if the file or folder does not exist. Other
 * errors, such as missing permission, are thrown.
 * @param codes error codes that mean absence
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

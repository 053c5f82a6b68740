/**
 * What a call of the file system gives; `undefined` where there is no such file or folder. That it
 * may not be looked at, or cannot be now, is not the same: that is thrown.
 */
export async function unlessAbsent<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The environment of a program that must not see the settings of the test's user. It only tells where other
 * programs are, and makes it start in half the time.
 */
export function bareEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}

/**
 * The environment of a program that is to know no setting of whoever runs the tests: where other programs are, and
 * what makes it start in half the time.
 */
export function bareEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}

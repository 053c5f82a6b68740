// There are three runs, each with all files of the one before: `npm test`, `npm run test:ci` with the files
// named `*.ci.test.ts`, and `npm run test:exhaustive` with those named `*.exhaustive.test.ts`.

/** Whether this is the long form of `npm run test:exhaustive`. */
export const isLong = process.env.TEST_DEPTH === 'long'

/** Whether this is `npm run test:exhaustive`, or its long form. */
export const isExhaustive = process.env.TEST_DEPTH === 'exhaustive' || isLong

/**
 * A number of rounds, kills or random cases: `usual` in the first two runs that include the file, `exhaustive`
 * in `npm run test:exhaustive`, and `long` with `-- --mode long` after it.
 */
export function depth(usual: number, exhaustive: number, long = exhaustive): number {
  if (isLong) return long
  return isExhaustive ? exhaustive : usual
}

/**
 * A regular selection of the cases: `usual` of them in the first two runs, `exhaustive` in the exhaustive run,
 * and all in its long form.
 */
export function sample<Case>(
  cases: readonly Case[],
  usual: number,
  exhaustive = cases.length,
): readonly Case[] {
  const count = depth(usual, exhaustive, cases.length)
  if (cases.length <= count) return cases
  return cases.filter(
    (_, i) =>
      Math.floor((i * count) / cases.length) !== Math.floor(((i - 1) * count) / cases.length),
  )
}

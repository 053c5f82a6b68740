import type { InputName } from './input.ts'

/** How many of the pairs come to what, as the original library recorded it. */
export const PINS: Readonly<Record<InputName, Readonly<Record<string, number>>>> = {
  full: {
    INVALID_INPUT: 967,
    MULTIPLE_PRIMARIES: 27_177,
    QUESTIONABLE: 10_661,
    SINGLE_PRIMARY: 6316,
  },
  quick: { INVALID_INPUT: 108, MULTIPLE_PRIMARIES: 3007, QUESTIONABLE: 1200, SINGLE_PRIMARY: 699 },
  test: { INVALID_INPUT: 22, MULTIPLE_PRIMARIES: 543, QUESTIONABLE: 194, SINGLE_PRIMARY: 144 },
}

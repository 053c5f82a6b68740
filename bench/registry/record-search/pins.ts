import type { InputName } from './input.ts'
import type { WorkloadName } from './questions.ts'

/**
 * How many products answer each question, by a look at each of them with a regular expression
 * (`node bench/registry/record-search/tell.ts`).
 */
export const PINS: Readonly<Record<InputName, Readonly<Record<WorkloadName, readonly number[]>>>> =
  {
    full: {
      selective: [68, 8, 330, 96, 4, 128, 49, 158, 182, 226],
      common: [72456, 67953, 33812, 16269, 37865, 54756, 68846, 52019],
      begun: [52694, 53552, 52303, 15993, 6700, 96403, 19785],
      filtered: [95000, 26024, 31936, 1381, 1974],
      ordered: [100000, 95000, 17860, 68846, 95000, 72456, 72456],
    },
    quick: {
      selective: [6, 1, 28, 10, 1, 13, 1, 15, 17, 20],
      common: [7839, 6774, 3309, 1604, 3720, 5470, 7444, 5198],
      begun: [5180, 5346, 4914, 1579, 642, 9600, 1917],
      filtered: [9500, 2601, 3171, 132, 119],
      ordered: [10000, 9500, 1789, 7444, 9500, 7839, 7839],
    },
    test: {
      selective: [1, 1, 6, 3, 1, 4, 0, 3, 2, 3],
      common: [1579, 1358, 661, 345, 740, 1094, 1504, 1043],
      begun: [1015, 1062, 996, 316, 136, 1922, 397],
      filtered: [1900, 523, 627, 24, 20],
      ordered: [2000, 1900, 356, 1504, 1900, 1579, 1579],
    },
  }

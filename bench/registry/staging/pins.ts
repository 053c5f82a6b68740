import type { AlgorithmName, InputName } from './input.ts'

/**
 * How many cases end how, as the original library recorded it: `r` of the rows of the CS vectors,
 * `expected.result` of the stagings of EOD. For the parts that input.ts takes, below `full` by
 *   for f in cs/*.gz; do zcat $f | tail -n +2 | head -n 2000; done | jq -r .r | sort | uniq -c
 *   zcat peer-eod_public-stage.jsonl.gz | jq -r 'select(.op == "stage") | .expected.result' |
 *     sort | uniq -c
 * and for the others with fewer lines of each file, or `awk 'NR % 5 == 1'` before the last sort.
 */
export const PINS: Readonly<
  Record<InputName, Readonly<Record<AlgorithmName, Readonly<Record<string, number>>>>>
> = {
  full: {
    cs: { STAGED: 119208, FAILED_NO_MATCHING_SCHEMA: 2520, FAILED_INVALID_YEAR_DX: 48272 },
    eod: {
      STAGED: 2954,
      FAILED_MISSING_SITE_OR_HISTOLOGY: 39,
      FAILED_INVALID_YEAR_DX: 199,
      FAILED_NO_MATCHING_SCHEMA: 23,
      FAILED_INVALID_INPUT: 63,
      FAILED_MULITPLE_MATCHING_SCHEMAS: 22,
    },
  },
  quick: {
    cs: { STAGED: 4891, FAILED_NO_MATCHING_SCHEMA: 1976, FAILED_INVALID_YEAR_DX: 1633 },
    eod: {
      STAGED: 587,
      FAILED_MISSING_SITE_OR_HISTOLOGY: 11,
      FAILED_INVALID_YEAR_DX: 35,
      FAILED_NO_MATCHING_SCHEMA: 5,
      FAILED_INVALID_INPUT: 15,
      FAILED_MULITPLE_MATCHING_SCHEMAS: 7,
    },
  },
  test: {
    cs: { STAGED: 204, FAILED_NO_MATCHING_SCHEMA: 203, FAILED_INVALID_YEAR_DX: 18 },
    eod: {
      STAGED: 152,
      FAILED_MISSING_SITE_OR_HISTOLOGY: 2,
      FAILED_INVALID_YEAR_DX: 4,
      FAILED_INVALID_INPUT: 3,
      FAILED_MULITPLE_MATCHING_SCHEMAS: 4,
    },
  },
}

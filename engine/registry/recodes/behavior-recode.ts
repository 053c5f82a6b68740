import type { Texts } from './recode.ts'
import { compileTable } from './table.ts'

const CODE = /^C\d{3}$/
const HISTOLOGY = /^\d{4}$/
const YEAR = /^\d{4}$/
const UNKNOWN_YEAR = '9999'
const KNOWN_BEHAVIOR = /^[0-3]$/

const UNKNOWN = '9'
const COLUMNS = Object.freeze(['site', 'hist', 'behavior', 'year'] as const)

/** Rows that are tried after bladder tumors were made malignant; the first match decides (registry-lookups.md 4.1). */
const ROWS = `
6 | malignant since ICD-O-3 of 2010 | |
  9724 9751 9759 9831 9975 9991 9992 | 3 | 2010-
0 | benign of the brain | C700 C701 C709-C729 C751-C753 | | 0 | 2004-
1 | borderline of the brain | C700 C701 C709-C729 C751-C753 | | 1 | 2004-
2 | in situ | | | 2
4 | malignant in ICD-O-3 alone | |
  9393 9538 9950 9960-9962 9980 9982-9987 9989 | 3 | 2001-
4 | malignant in ICD-O-3 alone | C340-C349 | 9133 | 3 | 2001-
5 | no longer malignant in ICD-O-3 | not C700 C701 C709-C729 C751-C753 | | 1
3 | malignant | | | 3
`

/** Creates the behavior recode, which makes behaviors comparable over the years. */
export function makeBehaviorRecode(): (input: Texts) => Texts {
  const table = { rows: ROWS, columns: COLUMNS, compare: 'numbers' } as const
  const find = compileTable(table, ({ code }) => code)
  return ({ site = '', hist = '', behavior = '', year = '' }) => {
    const isCode = CODE.test(site) && HISTOLOGY.test(hist) && KNOWN_BEHAVIOR.test(behavior)
    if (!isCode || !YEAR.test(year) || year === UNKNOWN_YEAR) return { recode: UNKNOWN }
    const counted = site.startsWith('C67') ? '3' : behavior
    return { recode: find({ site, hist, behavior: counted, year }) ?? UNKNOWN }
  }
}

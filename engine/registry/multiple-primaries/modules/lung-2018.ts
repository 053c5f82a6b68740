import { type Condition, type Is, type Relation, unclear } from '../answer.ts'
import { expandCodes, histologyIn } from '../codes.ts'
import {
  andSidesKnown,
  areOpposite,
  crossed,
  either,
  isSameSpecificHistology,
} from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { TABLES } from '../data/tables.ts'
import { BOTH_SIDES, type Diagnosis } from '../diagnosis.ts'
import { notInTable, OTHER_TABLE, rowOrOtherTable } from '../row-conditions.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  differentRows,
  differentSubtypes,
  IN_SITU_AFTER_INVASIVE_ON_SIDE,
  INVASIVE_LONG_AFTER_IN_SITU,
  INVASIVE_SOON_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  onOppositeSides,
  yearsApart,
} from '../stock-rules.ts'
import { parseTable } from '../table-text.ts'
import { compileTable, type RowOf } from '../tables.ts'
import { withinDays } from '../timing.ts'
import { soonOnSameSide } from './kidney-2018.ts'

const SMALL_CELL = '8246 8045 8041 8240 8249'
/** Histologies in the tables that are neither small cell nor other carcinomas. */
const SARCOMAS = '8800 9043 9042 9137 8842 9041 9040'

/** Rules of str_2018_and_later_lung. */
export function lung2018(): readonly Rule[] {
  const table3 = compileTable(TABLES.lung2018)
  const row = rowOrOtherTable(table3.rows, histologyIn(HISTOLOGIES.lung2018Table2))
  return [
    { step: 'M3', ...DIFFERENT_CATEGORY },
    { step: 'M4', ...yearsApart(3) },
    {
      step: 'M5',
      asks: 'Is one a small cell or neuroendocrine carcinoma and the other a non-small cell carcinoma?',
      means: MULTIPLE,
      when: crossed(histologyIn(SMALL_CELL), isNonSmallCell()),
      because: 'Small cell and non-small cell carcinoma are multiple primaries.',
    },
    { step: 'M6', ...differentSubtypes(table3.subtypes, 'Table 3') },
    {
      step: 'M7',
      asks: 'Are the histologies the same, or in one row of Table 3, on one side and at most 60 days apart?',
      means: SINGLE,
      when: soonOnSameSide(inSameRowOfTable3(row)),
      because: 'Histologies of one row in one lung within 60 days are a single primary.',
    },
    { step: 'M8', ...differentRows(row, 'Table 3') },
    {
      step: 'M9',
      asks: 'Are several tumors of both lungs, or of one, diagnosed at most 60 days apart?',
      means: SINGLE,
      when: isSoonInLungs,
      because: 'Tumors that are found in the lungs at one time are a single primary.',
    },
    { step: 'M10', ...IN_SITU_AFTER_INVASIVE_ON_SIDE },
    { step: 'M11', ...onOppositeSides() },
    { step: 'M12', ...INVASIVE_SOON_AFTER_IN_SITU },
    { step: 'M13', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M14', ...NOTHING_ELSE_APPLIES },
  ]
}

/** Tests for 8046 and the listed histologies with any behavior, except small cell carcinomas and sarcomas. */
function isNonSmallCell(): Is {
  const { rows } = parseTable(TABLES.lung2018)
  const table2 = expandCodes(HISTOLOGIES.lung2018Table2)
  const listed = ['8046', ...table2, ...rows.keys(), ...rows.values()]
  const isListed = histologyIn(listed.map((code) => code.slice(0, 4)).join(' '))
  const isLeftOut = histologyIn(SMALL_CELL, SARCOMAS)
  return (tumour) => isListed(tumour) && !isLeftOut(tumour)
}

/** Returns a test for the same row of Table 3. Table 2 has no rows, so its histologies never share one. */
function inSameRowOfTable3(row: RowOf): Condition {
  const unlisted = notInTable(row)
  return (one, other) => {
    if (isSameSpecificHistology(one, other)) return true
    const [first, second] = [row(one), row(other)]
    if (first === 0 || second === 0) return unlisted
    return first === second && first !== OTHER_TABLE
  }
}

const within60Days = withinDays(60)
const isOnBothSides = ({ laterality }: Diagnosis) => laterality === BOTH_SIDES
const isInBothLungs: Relation = either(isOnBothSides)

const ONE_IN_EACH_LUNG = unclear(
  'There is one tumor in each lung at one time; whether there are more is for a registrar to say.',
)

const isSoonInLungs: Condition = (one, other) => {
  const isSoon = within60Days(one, other)
  if (isInBothLungs(one, other)) return isSoon
  const answer = andSidesKnown(isSoon, one, other)
  return answer === true && areOpposite(one, other) ? ONE_IN_EACH_LUNG : answer
}

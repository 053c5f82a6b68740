import { type Condition, unclear } from '../answer.ts'
import { siteIn } from '../codes.ts'
import { both, either, isSameSite } from '../conditions.ts'
import { TABLES } from '../data/tables.ts'
import { BLANK, UNKNOWN_SIDE } from '../diagnosis.ts'
import { notInTable } from '../row-conditions.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import { DIFFERENT_SITE, differentSubtypes, NOTHING_ELSE_APPLIES } from '../stock-rules.ts'
import { compileTable, isIn, type Names } from '../tables.ts'
import { withinDays } from '../timing.ts'
import { areSkinSidesKnown, isOtherSideOfSkin, OTHER_SIDE_OF_SKIN } from './melanoma-2007.ts'

const DATES_NEEDED = unclear(
  'Whether the melanomas are more than 60 days apart decides, and the dates do not tell.',
)

const SIDES_NEEDED = unclear(
  'Right, left or midline of both melanomas decides, and a laterality does not tell.',
)

const isSiteOpen = either(({ site }) => site === 449)
/** Lips, overlapping and unspecified skin are not paired. */
const isWithoutSide = siteIn('C440 C448 C449')
const isSideOpen = either(({ laterality }) => laterality === UNKNOWN_SIDE || laterality === BLANK)

const within60Days = withinDays(60)

/** Rules of str_2021_and_later_cutaneous_melanoma. */
export function melanoma2021(): readonly Rule[] {
  const table2 = compileTable(TABLES.melanoma2021)
  return [
    {
      step: 'M3',
      ...DIFFERENT_SITE,
      when: (one, other) => (isSiteOpen(one, other) ? 'site' : !isSameSite(one, other)),
    },
    {
      step: 'M4',
      ...OTHER_SIDE_OF_SKIN,
      when: (one, other) =>
        !isWithoutSide(one) && !isSideOpen(one, other) && isOtherSideOfSkin(one, other),
    },
    { step: 'M5', ...differentSubtypes(table2.subtypes, 'Table 2') },
    {
      step: 'M6',
      asks: 'Are the histologies of Table 2, on one side and at most 60 days apart?',
      means: SINGLE,
      when: isOneOnSide(table2.rows),
      because: 'Melanomas of one side within 60 days are a single primary.',
    },
    {
      step: 'M7',
      asks: 'Were the melanomas diagnosed more than 60 days apart?',
      means: MULTIPLE,
      when: (one, other) => {
        const isSoon = within60Days(one, other)
        return isSoon === 'date' ? DATES_NEEDED : !isSoon
      },
      because: 'Melanomas more than 60 days apart are multiple primaries.',
    },
    { step: 'M8', ...NOTHING_ELSE_APPLIES },
  ]
}

/** This rule follows the rule for different sides, so that known sides are equal. */
function isOneOnSide(rows: Names): Condition {
  const areListed = both(isIn(rows))
  const unlisted = notInTable(rows.of)
  return (one, other) => {
    if (!areListed(one, other)) return unlisted
    if (!isWithoutSide(one) && !areSkinSidesKnown(one, other)) return SIDES_NEEDED
    const isSoon = within60Days(one, other)
    return isSoon === 'date' ? DATES_NEEDED : isSoon
  }
}

import { type Answer, unclear } from '../answer.ts'
import { isSameHistology } from '../conditions.ts'
import type { HematopoieticTables } from '../hematopoietic-tables.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import { type Later, laterOf } from '../timing.ts'

const ORDER_NEEDED = unclear(
  'Which histology came first decides, and the dates of diagnosis do not tell; give them in full.',
)

/** Evaluates the histologies in order of diagnosis. For tumors of the same day, a match in either order counts. */
function isSameInOrder(
  isSame: (first: number, second: number) => boolean,
  a: number,
  b: number,
  later: Later,
): Answer {
  if (later === 'unknown') return ORDER_NEEDED
  if (later === 'same') return isSame(a, b) || isSame(b, a)
  return later === 'second' ? isSame(a, b) : isSame(b, a)
}

/** Rules of hemato_2000_and_earlier: a single rule without a number. */
export function hematopoieticUntil2000({ isSame1998 }: HematopoieticTables): readonly Rule[] {
  return [
    {
      step: '',
      asks: 'Does the table for diagnoses until 2000 call the second disease the same as the first?',
      means: SINGLE,
      when: (one, other) => {
        if (isSameHistology(one, other)) return true
        const later = laterOf(one, other)
        return isSameInOrder(isSame1998, one.histology, other.histology, later)
      },
      because: 'The later disease is one that is the same as, or follows from, the earlier one.',
      otherwise: {
        means: MULTIPLE,
        because: 'The table does not list the later disease as the same as the earlier one.',
      },
    },
  ]
}

/** Rules of hemato_2001_to_2009: a single rule without a number. */
export function hematopoietic2001(tables: HematopoieticTables): readonly Rule[] {
  const { groupOf2001, isSame2001 } = tables
  return [
    {
      step: '',
      asks: 'Does the table for diagnoses from 2001 to 2009 call the groups of the two diseases the same?',
      means: SINGLE,
      when: (one, other) => {
        if (isSameHistology(one, other)) return true
        const [a, b] = [groupOf2001(one.histology), groupOf2001(other.histology)]
        if (a === undefined || b === undefined) return false
        return isSameInOrder(isSame2001, a, b, laterOf(one, other))
      },
      because:
        'The group of the later disease is the same as, or follows from, that of the earlier.',
      otherwise: {
        means: MULTIPLE,
        because: 'The table does not pair the groups of the two diseases in this order.',
      },
    },
  ]
}

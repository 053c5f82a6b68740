import { allOf, type Condition } from '../answer.ts'
import { histologyIn } from '../codes.ts'
import { areOpposite, both, crossed, either, isSameStem, not } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { BOTH_SIDES, type Diagnosis, LEFT, RIGHT } from '../diagnosis.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  yearsApart,
} from '../stock-rules.ts'

const isOnBothSides = ({ laterality }: Diagnosis) => laterality === BOTH_SIDES
const areSidesKnown = both(
  ({ laterality }) => laterality === RIGHT || laterality === LEFT || laterality === BOTH_SIDES,
)

const isOneInEachLung: Condition = (one, other) =>
  areSidesKnown(one, other) ? areOpposite(one, other) : 'laterality'

/** Rules of mph_2007_to_2017_lung. */
export function lung2007(): readonly Rule[] {
  const h = HISTOLOGIES
  const isNonSmallCell = histologyIn(h.nonSmallCellCarcinoma)
  return [
    { step: 'M3', ...DIFFERENT_CATEGORY },
    {
      step: 'M4',
      asks: 'Is one a small cell and the other a non-small cell carcinoma?',
      means: MULTIPLE,
      when: crossed(isNonSmallCell, histologyIn(h.smallCellCarcinoma)),
      because: 'Small cell and non-small cell carcinoma are multiple primaries.',
    },
    {
      step: 'M5',
      asks: 'Is one an adenocarcinoma of mixed subtypes and the other a bronchioloalveolar one?',
      means: MULTIPLE,
      when: crossed(
        histologyIn(h.adenocarcinomaWithMixedSubtypes),
        histologyIn(h.bronchioalveolar),
      ),
      because: 'Mixed and bronchioloalveolar adenocarcinoma are multiple primaries.',
    },
    {
      step: 'M6',
      asks: 'Is there one tumor in each lung?',
      means: MULTIPLE,
      when: isOneInEachLung,
      because: 'A single tumor in each lung is a primary in each.',
    },
    {
      step: 'M7',
      asks: 'Are both lungs affected, with histologies that differ in the first three digits?',
      means: MULTIPLE,
      when: allOf(either(isOnBothSides), not(isSameStem)),
      because: 'Tumors of both lungs with different histologies are multiple primaries.',
    },
    { step: 'M8', ...yearsApart(3) },
    { step: 'M9', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M10',
      asks: 'Is one a non-small cell carcinoma (8046) and the other a specific one of that kind?',
      means: SINGLE,
      when: crossed(isNonSmallCell, histologyIn(h.specificNonSmallCellCarcinoma)),
      because: 'A non-small cell carcinoma and a more specific one are a single primary.',
    },
    { step: 'M11', ...DIFFERENT_STEM },
    { step: 'M12', ...NOTHING_ELSE_APPLIES },
  ]
}

import { type Answer, allOf, type Relation, unclear } from '../answer.ts'
import { histologyIn, siteIn } from '../codes.ts'
import {
  anyOf,
  areOpposite,
  both,
  crossed,
  eachOf,
  either,
  isSameBehavior,
  isSameHistology,
  isSameSite,
  not,
} from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { SITES } from '../data/sites.ts'
import { TABLES } from '../data/tables.ts'
import { MULTIPLE, type Rule, SINGLE, type StockRule } from '../rule.ts'
import { distinctSubtypes, NOTHING_ELSE_APPLIES, sameRow } from '../stock-rules.ts'
import { compileTable, isIn, type Names } from '../tables.ts'
import { comesAfter } from '../timing.ts'
import { INVASIVE_AND_BENIGN } from './brain-2007.ts'

/** Rules of str_2018_and_later_malignant_cns. */
export function malignantCns2018(): readonly Rule[] {
  const table3 = compileTable(TABLES.malignantCns2018)
  const becomesGlioblastoma = comesAfter(
    histologyIn(HISTOLOGIES.glioblastoma),
    histologyIn(HISTOLOGIES.glialTumors2018),
  )
  const areInCranialNerves = both(siteIn(SITES.cranialNerves))
  const areInDifferentCranialNerves: Relation = (one, other) =>
    areInCranialNerves(one, other) && !isSameSite(one, other)
  return [
    { step: 'M6', ...INVASIVE_AND_BENIGN },
    {
      step: 'M7',
      asks: 'Was a glial tumor followed by a glioblastoma (9440)?',
      means: MULTIPLE,
      when: (one, other) => !isSameHistology(one, other) && becomesGlioblastoma(one, other),
      because: 'A glioblastoma after another glial tumor is abstracted as another primary.',
    },
    {
      step: 'M8',
      asks: 'Is it one histology in any parts of the brain (C71)?',
      means: SINGLE,
      when: isOneInBrain,
      because: 'Tumors of one histology in the brain are a single primary.',
    },
    {
      step: 'M9',
      ...inDifferentPartsOfCns(SITES.meningesOfNervesMalignant),
      when: anyOf(isOneWithinPart(SITES.meningesOfNervesMalignant), areInDifferentCranialNerves),
    },
    { step: 'M10', ...distinctSubtypes(table3.subtypes, 'Table 3') },
    {
      step: 'M11',
      asks: 'Is one a glioma (9380) and the other a more specific glial tumor?',
      means: SINGLE,
      when: crossed(
        histologyIn('9380'),
        histologyIn('9430 9400 9401 9411 9385 9391 9392 9396 9393 9450 9451 9424'),
      ),
      because: 'A glioma and a more specific kind of it are a single primary.',
    },
    { step: 'M12', ...sameRow(table3.rows.of, 'Table 3') },
    { step: 'M13', ...differentRowsExcept8000(table3.rows, 'Table 3') },
    { step: 'M14', ...NOTHING_ELSE_APPLIES },
  ]
}

/** Rules of str_2018_and_later_non_malignant_cns. The table of 2023 has the rows of 2018. */
export function nonMalignantCns2018(): readonly Rule[] {
  const table6 = compileTable(TABLES.nonMalignantCns2018)
  const inOneRow = sameRow(table6.rows.of, 'Table 6')
  return [
    { step: 'M6', ...INVASIVE_AND_BENIGN },
    {
      step: 'M7',
      asks: 'Is it a schwannoma or an optic glioma on both sides of one site?',
      means: SINGLE,
      when: isOneOnBothSides(),
      because: 'These tumors on both sides of one site are a single primary.',
    },
    { step: 'M8', ...inDifferentPartsOfCns(SITES.meningesOfNervesNonMalignant) },
    {
      step: 'M9',
      asks: 'Are the histologies two different subtypes of Table 6?',
      means: MULTIPLE,
      when: allOf(not(isSameHistology), both(isIn(table6.subtypes))),
      because: 'Two different subtypes of Table 6 are multiple primaries, in one row or in two.',
    },
    {
      step: 'M10',
      asks: 'Are both meningiomas of the cerebral meninges (C700)?',
      means: SINGLE,
      when: both(eachOf(siteIn(SITES.cerebralMeninges), histologyIn(HISTOLOGIES.meningiomas2018))),
      because: 'Meningiomas of the cerebral meninges are a single primary, on any side.',
    },
    {
      step: 'M11',
      asks: 'Is it one histology in any parts of the brain (C71)?',
      means: SINGLE,
      when: (one, other) => isOneInBrain(one, other) && exceptSeveralTypes(one, other),
      because: 'Tumors of one histology in the brain are a single primary.',
    },
    {
      step: 'M12',
      ...inOneRow,
      when: (one, other) => {
        const answer = inOneRow.when(one, other)
        return answer === true ? exceptSeveralTypes(one, other) : answer
      },
    },
    {
      step: 'M13',
      asks: 'Is one a glioma (9380/1) and the other a more specific glial or neuronal tumor?',
      means: SINGLE,
      when: crossed(
        histologyIn('9380/1'),
        histologyIn(
          '9383/1 9394/1 9444/1 9384/1 9412/1 9413/0 9505/1 9506/1 9492/0 9493/0 9509/1 8693/1',
        ),
      ),
      because: 'A glioma and a more specific kind of it are a single primary.',
    },
    { step: 'M14', ...differentRowsExcept8000(table6.rows, 'Table 6') },
    { step: 'M15', ...NOTHING_ELSE_APPLIES },
  ]
}

const areInBrain = both(siteIn(SITES.brain))

const isOneInBrain: Relation = (one, other) => isSameHistology(one, other) && areInBrain(one, other)

/** Each of these codes stands for several types, so that two tumors with the same code may differ. */
const SEVERAL_TYPES = unclear(
  'The code stands for several types of tumor, which a registrar has to compare.',
)

function exceptSeveralTypes(one: Parameters<Relation>[0], other: Parameters<Relation>[1]): Answer {
  const isOpen = one.histology === 9413 || (one.histology === 9509 && !isSameBehavior(one, other))
  return isOpen ? SEVERAL_TYPES : true
}

function inDifferentPartsOfCns(meningesOfNerves: string): StockRule {
  return {
    asks: 'Are the tumors in different parts of the central nervous system?',
    means: MULTIPLE,
    when: isOneWithinPart(meningesOfNerves),
    because: 'Tumors in different parts of the central nervous system are multiple primaries.',
    notes: [
      'Parts are the brain, each kind of meninges, spinal cord, cauda equina and cranial nerves.',
    ],
  }
}

/** Returns a test for whether exactly one of the tumors is in a certain part of the central nervous system. */
function isOneWithinPart(meningesOfNerves: string): Relation {
  const parts = [
    SITES.brain,
    SITES.caudaEquina,
    SITES.cerebralMeninges,
    SITES.cranialNerves,
    meningesOfNerves,
    SITES.spinalCord,
    SITES.spinalMeninges,
  ].map((sites) => siteIn(sites))
  return (one, other) => parts.some((isHere) => isHere(one) !== isHere(other))
}

function isOneOnBothSides(): Relation {
  const areSuch = both(eachOf(siteIn('C700 C710-C714 C722-C725'), histologyIn('9560/0 9421/1')))
  return (one, other) =>
    areSuch(one, other) &&
    isSameSite(one, other) &&
    isSameHistology(one, other) &&
    areOpposite(one, other)
}

const UNSPECIFIED = unclear(
  'One histology is an unspecified neoplasm (8000), which may be the other one.',
)

/** This rule follows the rule for a single row, so both histologies are listed and in different rows. */
function differentRowsExcept8000({ of, name }: Names, table: string): StockRule {
  const isOneUnspecified = either((tumour) => name(of(tumour)).startsWith('8000'))
  return {
    asks: `Are the histologies in different rows of ${table}?`,
    means: MULTIPLE,
    when: (one, other) => (isOneUnspecified(one, other) ? UNSPECIFIED : of(one) !== of(other)),
    because: `Histologies of different rows of ${table} are multiple primaries.`,
  }
}

import { allOf, type Condition, type Relation, unclear } from '../answer.ts'
import { histologyIn, siteIn } from '../codes.ts'
import {
  both,
  crossed,
  isInvasive,
  isSameCategory,
  isSameHistology,
  isSameSite,
  never,
  not,
} from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { SITES } from '../data/sites.ts'
import { type Diagnosis, NO_PLACE } from '../diagnosis.ts'
import type { HematopoieticTables } from '../hematopoietic-tables.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import { isSameDisease } from '../same-primary.ts'
import { isSameAsFarAsKnown, laterOf, withinDays } from '../timing.ts'

/** Rules of hemato_2010_and_later. Simultaneous means at most 21 days apart. */
export function hematopoietic2010(tables: HematopoieticTables): readonly Rule[] {
  const isNonHodgkin = histologyIn(HISTOLOGIES.nonHodgkinLymphoma)
  const isNonHodgkinOrNos = histologyIn(HISTOLOGIES.lymphomaNosAndNonHodgkin)
  const isHodgkin = histologyIn(HISTOLOGIES.hodgkinLymphoma)
  const isWithPosttransplant = crossed(
    histologyIn(HISTOLOGIES.ptld),
    histologyIn(
      HISTOLOGIES.bcell,
      HISTOLOGIES.tcell,
      HISTOLOGIES.hodgkinLymphoma,
      HISTOLOGIES.plasmacytoma,
    ),
  )
  const areMalt = both(histologyIn(HISTOLOGIES.malt))
  const isMyelomaAndPlasmacytoma = crossed(histologyIn('9732/3'), histologyIn('9731/3 9734/3'))

  const isTransformation: Relation = (one, other) =>
    isChronicThenAcute(tables, one, other) || isChronicThenAcute(tables, other, one)

  return [
    {
      step: 'M1',
      asks: 'Is the diagnosis one that may not be classified further (report not available)?',
      means: SINGLE,
      when: never,
      because: 'What this rule asks is in no code, so it is never applied here.',
    },
    {
      step: 'M2',
      asks: 'Do both tumors have the same histology?',
      means: SINGLE,
      when: (one, other) => {
        if (!isSameHistology(one, other)) return false
        return areMalt(one, other) && isLymphNode(one) !== isLymphNode(other)
          ? NODAL_AND_OTHER
          : true
      },
      because: 'One histology of blood or lymph is a single primary, whatever the sites and times.',
    },
    {
      step: 'M3',
      asks: 'Is one a sarcoma of mast cells or myeloid cells, with or after the leukemia of that kind?',
      means: SINGLE,
      when: isSarcomaWithLeukemia,
      because: 'Such a sarcoma is the same disease as the leukemia it comes with or after.',
    },
    {
      step: 'M4',
      asks: 'Are there two kinds of non-Hodgkin lymphoma in one place, at most 21 days apart?',
      means: SINGLE,
      when: allOf(not(isSameHistology), both(isNonHodgkinOrNos), isSamePlace, areSimultaneous),
      because: 'Two kinds found together in one place are one composite lymphoma.',
    },
    {
      step: 'M5',
      asks: 'Are there a Hodgkin and a non-Hodgkin lymphoma in one place, at most 21 days apart?',
      means: SINGLE,
      when: allOf(crossed(isHodgkin, isNonHodgkinOrNos), isSamePlace, areSimultaneous),
      because: 'Both kinds found together in one place are one composite lymphoma.',
    },
    {
      step: 'M6',
      asks: 'Are there a Hodgkin and a non-Hodgkin lymphoma in different places?',
      means: MULTIPLE,
      when: allOf(crossed(isHodgkin, isNonHodgkin), not(isSamePlace)),
      because: 'Hodgkin and non-Hodgkin lymphoma in different places are multiple primaries.',
    },
    {
      step: 'M7',
      asks: 'Is a more specific diagnosis made of the one that was not specified?',
      means: SINGLE,
      when: never,
      because: 'The pairs of this rule are those of the last one, which answers for it.',
    },
    {
      step: 'M8',
      asks: 'Were a chronic and the acute disease it turns into found within 21 days, in one biopsy?',
      means: SINGLE,
      when: (one, other) =>
        isTransformation(one, other) && areSimultaneous(one, other) !== false && TRANSFORMATION,
      because: 'The acute disease alone is abstracted where no other biopsy shows the chronic one.',
    },
    {
      step: 'M9',
      asks: 'Were they diagnosed within 21 days, with a biopsy of each?',
      means: MULTIPLE,
      when: never,
      because: 'Each disease that has its own biopsy is a primary.',
    },
    {
      step: 'M10',
      asks: 'Was a chronic disease followed by the acute one it turns into after more than 21 days?',
      means: MULTIPLE,
      when: (one, other) => {
        if (!isTransformation(one, other)) return false
        if (isMyelomaAndPlasmacytoma(one, other)) return TRANSFORMATION
        return laterOf(one, other) === 'second'
          ? isChronicThenAcute(tables, one, other)
          : isChronicThenAcute(tables, other, one)
      },
      because: 'An acute disease more than 21 days after the chronic one is another primary.',
    },
    {
      step: 'M11',
      asks: 'Were an acute disease and the chronic one it turns into diagnosed within 21 days?',
      means: MULTIPLE,
      when: never,
      because: 'How many primaries there are depends on the biopsies, which no code tells.',
    },
    {
      step: 'M12',
      asks: 'Was the acute disease followed by the chronic one, with no treatment between them?',
      means: SINGLE,
      when: (one, other) => isTransformation(one, other) && TRANSFORMATION,
      because: 'Without treatment the chronic disease was there from the beginning.',
    },
    {
      step: 'M13',
      asks: 'Was the acute disease followed by the chronic one after treatment?',
      means: MULTIPLE,
      when: never,
      because: 'A chronic disease after treatment of the acute one is another primary.',
    },
    {
      step: 'M14',
      asks: 'Were a lymphoproliferative disorder after a transplant and a lymphoma diagnosed together?',
      means: SINGLE,
      when: (one, other) =>
        isWithPosttransplant(one, other) && isSameAsFarAsKnown(one, other) && 'order',
      because: 'Diagnosed together, both are one disease.',
    },
    {
      step: 'M15',
      asks: 'Do the tables of the hematopoietic database pair the two as the same primary?',
      means: SINGLE,
      when: (one, other) => {
        const areListed = one.morphology !== NO_PLACE && other.morphology !== NO_PLACE
        return areListed && isSameDisease(tables.samePrimary2010, one, other)
      },
      because: 'The tables list the two diseases as the same primary in these years.',
      otherwise: {
        means: MULTIPLE,
        because: 'The tables do not list the two diseases as the same primary in these years.',
      },
    },
  ]
}

/** Answer of M8 and M12 for two diseases of which one can transform into the other: a registrar decides. */
const TRANSFORMATION = unclear(
  'One disease can turn into the other; a registrar has to review pathology and dates.',
)

const areSimultaneous = withinDays(21)
const isLymphNode = siteIn(SITES.lymphNode)

const NODAL_AND_OTHER = unclear(
  'One 9699/3 is in lymph nodes and one is elsewhere; whether it spread is for a registrar to say.',
)

/** Lymph nodes are the same place only if the whole code is equal. */
const isSamePlace: Relation = (one, other) =>
  isSameSite(one, other) || (isSameCategory(one, other) && !isLymphNode(one))

const areInvasive = both(isInvasive)
const isMastCellSarcoma = histologyIn(HISTOLOGIES.mastCellSarcoma)
const isMyeloidSarcoma = histologyIn(HISTOLOGIES.myeloidSarcoma)
const isSarcomaAndLeukemia: readonly Relation[] = [
  crossed(isMastCellSarcoma, histologyIn(HISTOLOGIES.mastCellLeukemia)),
  crossed(isMyeloidSarcoma, histologyIn(HISTOLOGIES.myeloidLeukemia)),
]

const isSarcomaWithLeukemia: Condition = (one, other) => {
  if (!areInvasive(one, other)) return false
  if (!isSarcomaAndLeukemia.some((holds) => holds(one, other))) return false
  const later = laterOf(one, other)
  const isTogether = areSimultaneous(one, other)
  if (later === 'unknown' && isTogether === 'date') return 'date'
  if (isTogether === true) return true
  const last = later === 'first' ? one : other
  return isMastCellSarcoma(last) || isMyeloidSarcoma(last)
}

/** Returns whether the chronic disease transforms into the acute one. Both entries must list the other. */
function isChronicThenAcute(
  { transformTo2010, transformFrom2010 }: HematopoieticTables,
  chronic: Diagnosis,
  acute: Diagnosis,
): boolean {
  return (
    transformTo2010.matches(chronic.morphology, acute.morphology, chronic.year) &&
    transformFrom2010.matches(acute.morphology, chronic.morphology, acute.year)
  )
}

import { type Condition, type Relation, unclear } from '../answer.ts'
import { sitesInDifferentOnesOf as apart, siteIn } from '../codes.ts'
import {
  anyOf,
  both,
  crossed,
  isSameHistology,
  isSameSite,
  isSameSpecificHistology,
} from '../conditions.ts'
import { HEAD_AND_NECK_TABLES } from '../data/head-and-neck-tables.ts'
import { PAIRED_SITES } from '../data/paired-sites.ts'
import { SITES } from '../data/sites.ts'
import { areDistinctSubtypes, notInTable } from '../row-conditions.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  IN_SITU_AFTER_INVASIVE,
  INVASIVE_LONG_AFTER_IN_SITU,
  INVASIVE_SOON_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  onOppositeSidesOf,
  yearsApart,
} from '../stock-rules.ts'
import { compileTablesBySite, type Table } from '../tables.ts'

const NO_TABLE_FOR_SITE = unclear(
  'A site has no table of histologies by which this rule could be decided, so a registrar has to.',
)

const PARAGANGLIOMAS = unclear(
  'Paragangliomas 8690 and 8690 or 8693 have to be compared by a registrar.',
)

/** Rules of str_2018_and_later_head_and_neck. */
export function headAndNeck2018(): readonly Rule[] {
  const tables = compileTablesBySite(HEAD_AND_NECK_TABLES)
  return [
    {
      step: 'M3',
      asks: 'Are the tumors in two of the neighboring sites that the manual lists as separate?',
      means: MULTIPLE,
      when: inSeparateSites(),
      because: 'Each of these sites is a primary site of its own.',
      examples: ['Upper and lower lip; hard palate and uvula; glottis and supraglottis.'],
    },
    { step: 'M4', ...DIFFERENT_CATEGORY },
    { step: 'M5', ...onOppositeSidesOf(PAIRED_SITES.headAndNeck2018) },
    { step: 'M6', ...yearsApart(5) },
    {
      step: 'M7',
      asks: 'Are the histologies two different subtypes of the table for the site?',
      means: MULTIPLE,
      when: areOtherSubtypes(tables),
      because: 'Two different subtypes of one table are multiple primaries.',
    },
    {
      step: 'M8',
      asks: 'Are the histologies in different rows of the table, or do the sites have different tables?',
      means: MULTIPLE,
      when: areInOtherRows(tables),
      because: 'Histologies of different rows or tables are multiple primaries.',
    },
    { step: 'M9', ...IN_SITU_AFTER_INVASIVE },
    { step: 'M10', ...INVASIVE_SOON_AFTER_IN_SITU },
    { step: 'M11', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M12',
      asks: 'Are the histologies the same, or in one row of the table for the site?',
      means: SINGLE,
      when: areInOneRow(tables),
      because: 'Histologies of one row of the table are a single primary.',
    },
    { step: 'M13', ...NOTHING_ELSE_APPLIES },
  ]
}

function inSeparateSites(): Relation {
  const areInLarynx = both(siteIn(SITES.larynx))
  return anyOf(
    apart(SITES.aorticBody, SITES.carotidBody),
    (one, other) => areInLarynx(one, other) && !isSameSite(one, other),
    apart(SITES.hardPalate, SITES.softPalate, SITES.uvula),
    apart(SITES.maxilla, SITES.mandible),
    apart(SITES.maxillarySinus, SITES.ethmoidSinus, SITES.frontalSinus, SITES.sphenoidSinus),
    apart(SITES.nasalCavity, SITES.middleEar),
    apart(SITES.postcricoid, SITES.aryepiglotticFold, SITES.posteriorHypopharynx),
    apart(SITES.submandibularGland, SITES.sublingualGland),
    apart(SITES.upperGum, SITES.lowerGum),
    apart(SITES.upperLip, SITES.lowerLip),
  )
}

function areOtherSubtypes({ rows, subtypes, tableOf }: Table): Condition {
  const unlisted = notInTable(rows.of)
  const areDistinct = areDistinctSubtypes(subtypes)
  return (one, other) => {
    const [first, second] = [tableOf(one), tableOf(other)]
    if (first === 0 || second === 0) return NO_TABLE_FOR_SITE
    if (first !== second) return false
    if (rows.of(one) === 0 || rows.of(other) === 0) {
      return isSameHistology(one, other) ? false : unlisted
    }
    return areDistinct(one, other)
  }
}

function areInOtherRows({ rows, tableOf }: Table): Condition {
  const areInParaganglia = both(siteIn(HEAD_AND_NECK_TABLES.paraganglia.sites))
  const areParagangliomas = crossed(
    ({ histology }) => histology === 8690,
    ({ histology }) => histology === 8690 || histology === 8693,
  )
  return (one, other) => {
    if (tableOf(one) !== tableOf(other)) return true
    if (areInParaganglia(one, other) && areParagangliomas(one, other)) return PARAGANGLIOMAS
    const [first, second] = [rows.of(one), rows.of(other)]
    return first !== 0 && second !== 0 && !rows.overlap(first, second)
  }
}

/** This condition follows earlier rules, so that both sites use the same table. */
function areInOneRow({ rows }: Table): Condition {
  const unlisted = notInTable(rows.of)
  return (one, other) => {
    const [first, second] = [rows.of(one), rows.of(other)]
    if (first === 0 || second === 0) return isSameSpecificHistology(one, other) ? true : unlisted
    return rows.overlap(first, second)
  }
}

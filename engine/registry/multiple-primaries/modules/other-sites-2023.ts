import { allOf, type Relation } from '../answer.ts'
import { histologyIn, siteIn } from '../codes.ts'
import { both, crossed, eachOf, isSameHistology } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { OTHER_SITES_TABLES } from '../data/other-sites-tables.ts'
import { PAIRED_SITES } from '../data/paired-sites.ts'
import { SITES } from '../data/sites.ts'
import { areDistinctSubtypes, inSameListedRow } from '../row-conditions.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  differentRows,
  distinctSubtypes,
  INVASIVE_LONG_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  onOppositeSidesOf,
  yearsApart,
} from '../stock-rules.ts'
import { compileTablesBySite, type RowOf, type Table } from '../tables.ts'
import { comesAfter, withinDays } from '../timing.ts'
import {
  adenocarcinomaAndPolyp,
  bothInPolyps,
  bothKaposi,
  bothOvaries,
  bothRetinoblastomas,
  differentSubsite,
  follicularAndPapillary,
  polyposis,
} from './other-sites-2007.ts'

/** Rules of str_2023_and_later_other_sites. Each tumor uses the tables of its own site. */
export function otherSites2023(): readonly Rule[] {
  const h = HISTOLOGIES
  const tables = compileTablesBySite(OTHER_SITES_TABLES)
  const { rows, subtypes } = tables
  const inOneRow = inSameListedRow(rows.of)
  const isInProstate = siteIn(SITES.prostate)
  return [
    {
      step: 'M3',
      asks: 'Are both acinar adenocarcinomas of the prostate, or subtypes of it?',
      means: SINGLE,
      when: both(eachOf(isInProstate, histologyIn(h.prostateSubtypes))),
      because: 'Adenocarcinoma of the prostate is a single primary, also years apart.',
    },
    {
      step: 'M4',
      asks: 'Was an adenocarcinoma of the prostate followed by a small cell carcinoma (8041/3)?',
      means: MULTIPLE,
      when: comesAfter(
        eachOf(isInProstate, histologyIn('8041/3')),
        eachOf(
          isInProstate,
          histologyIn('8140/2 8140/3 8201/3 8260/3 8230/3 8500/3 8572/3 8574/3 8480/3 8490/3'),
        ),
      ),
      because: 'A small cell carcinoma after an adenocarcinoma of the prostate is another primary.',
    },
    { step: 'M5', ...bothRetinoblastomas() },
    { step: 'M6', ...bothKaposi() },
    { step: 'M7', ...follicularAndPapillary(h.follicular, h.papillary) },
    {
      step: 'M8',
      asks: 'Is one an anaplastic carcinoma of the thyroid and the other another of its carcinomas?',
      means: MULTIPLE,
      when: crossed(
        eachOf(siteIn(SITES.thyroid), histologyIn(h.anaplasticCarcinoma)),
        eachOf(siteIn(SITES.thyroid), histologyIn(h.otherThyroidHistologies)),
      ),
      because: 'Anaplastic and other carcinomas of the thyroid are multiple primaries.',
    },
    { step: 'M9', ...bothOvaries(isOneKindOfOvary(tables)) },
    { step: 'M10', ...onOppositeSidesOf(PAIRED_SITES.otherSites2023) },
    { step: 'M11', ...polyposis([SITES.smallBowel]) },
    { step: 'M12', ...yearsApart(1) },
    { step: 'M13', ...DIFFERENT_CATEGORY },
    {
      step: 'M14',
      ...differentSubsite({
        sites: 'C21 C40 C41 C49 C44',
        label: 'anus, bone, soft tissue or skin',
      }),
    },
    { step: 'M15', ...adenocarcinomaAndPolyp() },
    { step: 'M16', ...bothInPolyps() },
    { step: 'M17', ...distinctSubtypes(subtypes, 'the table for the site') },
    {
      step: 'M18',
      asks: 'Are the histologies the same, or in one row of the table for the site, at most 60 days apart?',
      means: SINGLE,
      when: allOf(haveOneTable(tables), inOneRow, withinDays(60)),
      because: 'Histologies of one row of the table within 60 days are a single primary.',
    },
    { step: 'M19', ...differentRows(rowOrTable2(rows.of), 'the table for the site') },
    { step: 'M20', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M21', ...NOTHING_ELSE_APPLIES },
  ]
}

function haveOneTable({ tableOf }: Table): Relation {
  return (one, other) => tableOf(one) !== 0 && tableOf(one) === tableOf(other)
}

function isOneKindOfOvary({ rows, subtypes }: Table): Relation {
  const areDistinct = areDistinctSubtypes(subtypes)
  return (one, other) =>
    isSameHistology(one, other) ||
    (!areDistinct(one, other) && rows.of(one) !== 0 && rows.of(one) === rows.of(other))
}

/** Returns the row in the table for the site. A histology that only Table 2 lists is a row of its own. */
function rowOrTable2(row: RowOf): RowOf {
  const isInTable2 = histologyIn(HISTOLOGIES.otherSites2023Table2)
  return (tumour) => row(tumour) || (isInTable2(tumour) ? tumour.histology : 0)
}

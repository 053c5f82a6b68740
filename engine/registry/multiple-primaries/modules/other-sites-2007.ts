import { allOf, type Condition } from '../answer.ts'
import { histologyIn, siteIn } from '../codes.ts'
import {
  anyOf,
  both,
  crossed,
  eachOf,
  either,
  isInSituOrInvasive,
  isInvasive,
  isSameHistology,
  not,
} from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { PAIRED_SITES } from '../data/paired-sites.ts'
import { SITES } from '../data/sites.ts'
import type { Diagnosis } from '../diagnosis.ts'
import { MULTIPLE, type Rule, SINGLE, type StockRule } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  moreSpecific,
  NOTHING_ELSE_APPLIES,
  onOppositeSidesOf,
  yearsApart,
} from '../stock-rules.ts'
import { withinDays } from '../timing.ts'

export function bothRetinoblastomas(): StockRule {
  return {
    asks: 'Are both retinoblastomas?',
    means: SINGLE,
    when: both(histologyIn(HISTOLOGIES.retinoblastoma)),
    because: 'Retinoblastoma of one or of both eyes is a single primary.',
  }
}

export function bothKaposi(): StockRule {
  return {
    asks: 'Are both Kaposi sarcomas, of whatever sites?',
    means: SINGLE,
    when: both(histologyIn(HISTOLOGIES.kaposiSarcoma)),
    because: 'Kaposi sarcoma is a single primary in any number of sites.',
  }
}

/**
 * Creates the rule for thyroid carcinomas.
 * @param histologies lists of follicular and papillary carcinomas
 */
export function follicularAndPapillary(...histologies: readonly string[]): StockRule {
  return {
    asks: 'Are both follicular or papillary carcinomas of the thyroid, at most 60 days apart?',
    means: SINGLE,
    when: allOf(both(eachOf(siteIn(SITES.thyroid), histologyIn(...histologies))), withinDays(60)),
    because:
      'Follicular and papillary carcinoma of the thyroid within 60 days are a single primary.',
  }
}

/**
 * Creates the rule for ovaries.
 * @param isSameKind condition for epithelial tumors (up to 8799) of the ovary
 */
export function bothOvaries(isSameKind: Condition): StockRule {
  const isEpithelial = ({ histology }: Diagnosis) => histology <= 8799
  return {
    asks: 'Are both epithelial tumors of one kind of the ovaries, at most 60 days apart?',
    means: SINGLE,
    when: allOf(both(eachOf(siteIn(SITES.ovary), isEpithelial)), isSameKind, withinDays(60)),
    because: 'Such tumors of one or of both ovaries within 60 days are a single primary.',
  }
}

/**
 * Follows the rule for different categories, so that only the fourth character can differ.
 * @param parts categories in which the fourth character matters, and their name
 */
export function differentSubsite(parts: {
  readonly sites: string
  readonly label: string
}): StockRule {
  const hasCountingSubsites = siteIn(parts.sites)
  return {
    asks: `Do the topography codes of ${parts.label} differ in their fourth character?`,
    means: MULTIPLE,
    when: (one, other) => hasCountingSubsites(one) && one.site % 10 !== other.site % 10,
    because: 'In these sites tumors of different fourth characters are multiple primaries.',
  }
}

export function polyposis(where: readonly string[]): StockRule {
  const isThere = siteIn(...where)
  const isPolyposisWithPolyp = crossed(
    eachOf(isThere, histologyIn(HISTOLOGIES.familialAdenomatousPolyposis)),
    eachOf(isThere, histologyIn(HISTOLOGIES.polyp)),
  )
  return {
    asks: 'Is one an adenocarcinoma in familial polyposis, the other one in a polyp, and at least one invasive?',
    means: SINGLE,
    when: allOf(isPolyposisWithPolyp, either(isInvasive)),
    because: 'Cancers of one familial polyposis are a single primary.',
  }
}

export function adenocarcinomaAndPolyp(): StockRule {
  const isInPolyp = eachOf(isInSituOrInvasive, histologyIn(HISTOLOGIES.polyp))
  const isAdenocarcinoma = eachOf(
    isInSituOrInvasive,
    histologyIn(HISTOLOGIES.adenocarcinomaSpecific, HISTOLOGIES.adenocarcinomaNos),
  )
  return {
    asks: 'Is one an adenocarcinoma and the other an adenocarcinoma in a polyp?',
    means: SINGLE,
    when: allOf(crossed(isAdenocarcinoma, isInPolyp), not(both(isInPolyp))),
    because: 'An adenocarcinoma and one in a polyp are a single primary.',
  }
}

export function bothInPolyps(): StockRule {
  return {
    asks: 'Are both adenocarcinomas in polyps?',
    means: SINGLE,
    when: both(eachOf(isInSituOrInvasive, histologyIn(HISTOLOGIES.polyp))),
    because: 'Adenocarcinomas in several polyps are a single primary.',
  }
}

/** Rules of mph_2007_to_2022_other_sites. */
export function otherSites2007(): readonly Rule[] {
  const h = HISTOLOGIES
  const isSameOrUnspecified = anyOf(
    isSameHistology,
    either(histologyIn('8000 8010')),
    crossed(histologyIn('8460 8461'), histologyIn('8441')),
  )
  return [
    {
      step: 'M3',
      asks: 'Are both adenocarcinomas (8140) of the prostate?',
      means: SINGLE,
      when: both(eachOf(siteIn(SITES.prostate), histologyIn(h.adenocarcinomaNos))),
      because: 'Adenocarcinoma of the prostate is a single primary, also years apart.',
    },
    { step: 'M4', ...bothRetinoblastomas() },
    { step: 'M5', ...bothKaposi() },
    { step: 'M6', ...follicularAndPapillary(h.follicularNos, h.papillaryNos) },
    { step: 'M7', ...bothOvaries(isSameOrUnspecified) },
    { step: 'M8', ...onOppositeSidesOf(PAIRED_SITES.otherSites2007) },
    { step: 'M9', ...polyposis([SITES.colon, SITES.rectosigmoid, SITES.rectum]) },
    { step: 'M10', ...yearsApart(1) },
    { step: 'M11', ...DIFFERENT_CATEGORY },
    {
      step: 'M12',
      ...differentSubsite({
        sites: 'C21 C40 C41 C47 C49 C44',
        label: 'anus, bone, nerves, soft tissue or skin',
      }),
    },
    { step: 'M13', ...adenocarcinomaAndPolyp() },
    { step: 'M14', ...bothInPolyps() },
    { step: 'M15', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M16', ...moreSpecific(8000, 8010, 8070, 8140, 8720, 8800) },
    { step: 'M17', ...DIFFERENT_STEM },
    { step: 'M18', ...NOTHING_ELSE_APPLIES },
  ]
}

import { allOf, type Condition, type Relation } from '../answer.ts'
import { bothSitesInOneOf, branchesOf, histologyIn, siteIn } from '../codes.ts'
import {
  andSidesKnown,
  anyOf,
  areOpposite,
  areOppositeOrUnknown,
  areSameSideOrUnknown,
  areSidesKnown,
  both,
  crossed,
  eachOf,
  isInvasive,
  isSameCategory,
  isSameSite,
  isSameStem,
  never,
} from '../conditions.ts'
import { BENIGN_BRAIN_2004 } from '../data/brain-charts.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { SITES } from '../data/sites.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import { moreThanDays, withinDays } from '../timing.ts'

/** Rules of 2006_and_earlier_benign_brain, in which a site is a whole category, C70 or C71. */
export function benignBrainUntil2006(): readonly Rule[] {
  const groupOf = branchesOf(BENIGN_BRAIN_2004)
  const isSameKind: Relation = (one, other) => {
    const [first, second] = [groupOf(one), groupOf(other)]
    return first !== 0 && second !== 0 ? first === second : isSameStem(one, other)
  }
  return [
    {
      step: 'M1',
      asks: 'Is it one site and histology, on one known side?',
      means: SINGLE,
      when: (one, other) =>
        isSameCategory(one, other) &&
        isSameKind(one, other) &&
        areSidesKnown(one, other) &&
        !areOpposite(one, other),
      because: 'One histology on one side of one site is a single primary, at any time.',
    },
    {
      step: 'M2',
      asks: 'Is it one site and histology, with a side that is not known or not right or left?',
      means: SINGLE,
      when: (one, other) =>
        isSameCategory(one, other) && isSameKind(one, other) && !areSidesKnown(one, other),
      because: 'One histology in one site is a single primary where the sides do not tell more.',
    },
    {
      step: 'M3',
      asks: 'Is it one histology in different sites?',
      means: MULTIPLE,
      when: (one, other) => !isSameCategory(one, other) && isSameKind(one, other),
      because: 'Benign tumors in different sites of the brain are multiple primaries.',
    },
    {
      step: 'M4',
      asks: 'Is it one histology on different sides?',
      means: MULTIPLE,
      when: (one, other) => isSameKind(one, other) && areOpposite(one, other),
      because: 'Benign tumors on the right and on the left are multiple primaries.',
    },
    {
      step: 'M5',
      asks: 'Are there different histologies?',
      means: MULTIPLE,
      when: (one, other) => !isSameKind(one, other),
      because: 'Different histologies of benign brain tumors are multiple primaries.',
      otherwise: { means: SINGLE, because: 'No rule tells the tumors apart.' },
    },
  ]
}

/** Rules of 2006_and_earlier_solid_malignant. */
export function solidMalignantUntil2006(): readonly Rule[] {
  const areBothPaired = both(siteIn(SITES.allPairedSites))
  const isOnOneSide: Condition = (one, other) =>
    !areBothPaired(one, other) || areSameSideOrUnknown(one, other)
  const isOneOnBothSides = onesOnBothSides()
  const isOneAtAnyTime = onesAtAnyTime()
  const isOneKindAfterAll = kindsThatAreOne()
  return [
    {
      step: 'M1',
      asks: 'Is it not possible to tell whether there is one tumor or several?',
      means: SINGLE,
      when: never,
      because: 'What this rule asks is in no code, so it is never applied here.',
    },
    {
      step: 'M2',
      asks: 'Is there only one tumor?',
      means: SINGLE,
      when: never,
      because: 'Two tumors are compared, so this rule is never applied here.',
    },
    {
      step: 'M3',
      asks: 'Is it one site and histology, not on both sides, at most 60 days apart?',
      means: SINGLE,
      when: allOf(isSameRegion, isSameKind, within60Days, isOnOneSide),
      because: 'Simultaneous tumors of one histology in one site are a single primary.',
    },
    {
      step: 'M4',
      asks: 'Is it one histology on both sides of a paired site, at most 60 days apart?',
      means: (one, other) => (isOneOnBothSides(one, other) ? SINGLE : MULTIPLE),
      when: allOf(isSameRegion, isSameKind, areBothPaired, within60Days, areOppositeOrUnknown),
      because: 'Tumors on both sides are multiple primaries, with three exceptions.',
      notes: ['Both ovaries, retinoblastoma and Wilms tumor are a single primary.'],
    },
    {
      step: 'M5',
      asks: 'Is it one site and histology, more than 60 days apart?',
      means: (one, other) => (isOneAtAnyTime(one, other) ? SINGLE : MULTIPLE),
      when: (one, other) =>
        isOneAtAnyTime(one, other) ||
        (isSameRegion(one, other) && isSameKind(one, other) && moreThan60Days(one, other)),
      because: 'More than 60 days apart they are multiple primaries, with three exceptions.',
      notes: [
        'These are adenocarcinoma of the prostate, urothelial carcinoma of the bladder, Kaposi sarcoma.',
      ],
    },
    {
      step: 'M6',
      asks: 'Is it one site with different histologies, not on both sides, at most 60 days apart?',
      means: (one, other) => (isOneKindAfterAll(one, other) ? SINGLE : MULTIPLE),
      when: allOf(isSameRegion, isOtherKind, within60Days, isOnOneSide),
      because: 'Different histologies are multiple primaries, unless they count as one.',
      notes: [
        'One are an unspecified histology and a specific one of its kind, and pairs of thyroid, bladder and breast.',
      ],
    },
    {
      step: 'M7',
      asks: 'Are there different histologies on both sides of a paired site, at most 60 days apart?',
      means: MULTIPLE,
      when: (one, other) => {
        if (!isSameRegion(one, other) || !isOtherKind(one, other)) return false
        const isSoon =
          areBothPaired(one, other) && andSidesKnown(within60Days(one, other), one, other)
        return isSoon === true ? areOpposite(one, other) : isSoon
      },
      because: 'Different histologies on both sides are multiple primaries.',
    },
    {
      step: 'M8',
      asks: 'Is it one site with different histologies, more than 60 days apart?',
      means: MULTIPLE,
      when: allOf(isSameRegion, isOtherKind, moreThan60Days),
      because: 'Different histologies more than 60 days apart are multiple primaries.',
    },
    {
      step: 'M9',
      asks: 'Are both site and histology different?',
      means: MULTIPLE,
      when: (one, other) => !isSameRegion(one, other) && isOtherKind(one, other),
      because: 'Different histologies in different sites are multiple primaries.',
    },
    {
      step: 'M10',
      asks: 'Is it one histology in different sites?',
      means: MULTIPLE,
      when: (one, other) => !isSameRegion(one, other),
      because: 'Tumors in different sites are multiple primaries.',
      otherwise: { means: SINGLE, because: 'No rule tells the tumors apart.' },
    },
  ]
}

const within60Days = withinDays(60)
const moreThan60Days = moreThanDays(60)

const isInExactSite = siteIn(SITES.exactMatchSites)
const isInOneRegion = bothSitesInOneOf(
  [
    SITES.tongue,
    SITES.mouth,
    SITES.salivary,
    SITES.oropharynx,
    SITES.hypopharynx,
    SITES.biliary,
    SITES.sinus,
    SITES.lung,
    SITES.maleGenital,
    SITES.kidneyOrUrinary,
    SITES.endocrine,
    SITES.mediastinum,
    SITES.femaleGenital,
    SITES.ovaryOrFemaleGenital,
  ].join(';'),
)

const isSameRegion: Relation = (one, other) =>
  isSameSite(one, other) ||
  (isSameCategory(one, other) && !isInExactSite(one)) ||
  isInOneRegion(one, other)

const isSmallAndOtherCell = crossed(
  histologyIn(HISTOLOGIES.smallCellCarcinoma),
  histologyIn(HISTOLOGIES.nonSmallCellCarcinoma),
)

const isSameKind: Relation = (one, other) =>
  isSameStem(one, other) && !isSmallAndOtherCell(one, other)

const isOtherKind: Relation = (one, other) => !isSameKind(one, other)

/** Tumors on both sides that are one primary. */
function onesOnBothSides(): Relation {
  return anyOf(
    both(siteIn(SITES.ovary)),
    both(histologyIn(HISTOLOGIES.retinoblastoma)),
    both(histologyIn(HISTOLOGIES.wilms)),
  )
}

/** Tumors that are one primary regardless of the time between them. */
function onesAtAnyTime(): Relation {
  const { adenocarcinomaNos, adenocarcinomaSpecific } = HISTOLOGIES
  const { transitionalCellCarcinoma, papillaryTransitionalCellCarcinoma } = HISTOLOGIES
  return anyOf(
    both(
      eachOf(
        siteIn(SITES.prostate),
        isInvasive,
        histologyIn(adenocarcinomaNos, adenocarcinomaSpecific),
      ),
    ),
    both(
      eachOf(
        siteIn(SITES.bladder),
        isInvasive,
        histologyIn(transitionalCellCarcinoma, papillaryTransitionalCellCarcinoma),
      ),
    ),
    both(histologyIn(HISTOLOGIES.kaposiSarcoma)),
  )
}

/**
 * Tests for different histologies that count as the same. The manual also lists familial polyposis of colon and
 * rectum, which has a single code, so its tumors cannot differ.
 */
function kindsThatAreOne(): Relation {
  const h = HISTOLOGIES
  const isInBreast = siteIn(SITES.breast)
  return anyOf(
    crossed(histologyIn(h.carcinomaNos), histologyIn(h.carcinomaSpecific)),
    crossed(histologyIn(h.adenocarcinomaNos), histologyIn(h.adenocarcinomaSpecific)),
    crossed(histologyIn(h.melanomaNos), histologyIn(h.melanomaSpecific)),
    crossed(histologyIn(h.sarcomaNos), histologyIn(h.sarcomaSpecific)),
    both(eachOf(siteIn(SITES.thyroid), histologyIn(h.follicular, h.papillary))),
    both(
      eachOf(
        siteIn(SITES.bladder),
        histologyIn(
          h.papillaryCarcinomaNos,
          h.transitionalCellCarcinoma,
          h.papillaryTransitionalCellCarcinoma,
        ),
      ),
    ),
    both(eachOf(isInBreast, histologyIn(h.ductCarcinoma, h.lobularCarcinoma))),
    both(eachOf(isInBreast, histologyIn(h.pagetDisease, h.ductCarcinoma, h.intraductalCarcinoma))),
  )
}

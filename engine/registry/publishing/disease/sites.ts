import { EngineError } from '../../../shared/errors.ts'
import type { SiteRange } from './ranges.ts'
import { SITE_LABELS } from './site-labels.ts'

/** A topography code and its label. */
export interface PrimarySite {
  readonly value: string
  readonly label: string
}

/** A group of related sites. */
export interface SiteCategory {
  readonly id: string
  readonly label: string
  readonly sites: readonly SiteRange[]
}

/** Returns all primary sites in ascending order. */
export function primarySites(): PrimarySite[] {
  return Object.entries(SITE_LABELS).map(([value, label]) => ({ value, label }))
}

/**
 * Returns a list with the one primary site of a code.
 * @throws EngineError `not_found` if there is no such code
 */
export function primarySite(code: string): PrimarySite[] {
  const label = Object.hasOwn(SITE_LABELS, code) ? SITE_LABELS[code] : undefined
  if (label !== undefined) return [{ value: code, label }]
  throw new EngineError('not_found', `Primary site '${code}' does not exist.`)
}

function category(id: string, label: string, ...sites: readonly string[]): SiteCategory {
  return {
    id,
    label,
    sites: sites.map((range) => {
      const [low = '', high = low] = range.split('-')
      return { low, high }
    }),
  }
}

/** Every primary site is in one of these categories. */
export const SITE_CATEGORIES: readonly SiteCategory[] = Object.freeze([
  category('head-and-neck', 'Head and Neck', 'C000-C148', 'C300-C329'),
  category('digestive', 'Digestive System', 'C150-C269', 'C480-C488'),
  category('thorax', 'Thorax', 'C339-C399'),
  category('bone-and-soft-tissue', 'Bone and Soft Tissue', 'C400-C419', 'C470-C479', 'C490-C499'),
  category('blood-and-lymph', 'Blood and Lymphatic System', 'C420-C424', 'C770-C779'),
  category('skin', 'Skin', 'C440-C449'),
  category('breast', 'Breast', 'C500-C509'),
  category('female-genital', 'Female Genital System', 'C510-C589'),
  category('male-genital', 'Male Genital System', 'C600-C639'),
  category('urinary', 'Urinary System', 'C649-C689'),
  category('eye', 'Eye', 'C690-C699'),
  category('nervous-system', 'Brain and Nervous System', 'C700-C729'),
  category('endocrine', 'Endocrine System', 'C739-C759'),
  category('ill-defined', 'Ill-Defined and Unknown Sites', 'C760-C768', 'C809'),
])

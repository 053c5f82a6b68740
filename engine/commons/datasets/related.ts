import { behind, resolverOf } from './case-gene.ts'
import type { Dataset, RelatedName } from './define.ts'
import type { FieldPath, Step } from './field-path.ts'
import { DATASETS } from './index.ts'
import { resolveField, stepsOver } from './resolve.ts'

/** Names of other datasets in requests, plural or singular (data-commons.md 1.2.6). */
const NAMES: Readonly<Record<string, RelatedName>> = {
  case: 'cases',
  cases: 'cases',
  file: 'files',
  files: 'files',
  gene: 'genes',
  genes: 'genes',
  ssm: 'ssms',
  ssms: 'ssms',
  cnv: 'cnvs',
  cnvs: 'cnvs',
}

/**
 * Resolves a field of a related dataset, prefixed with that dataset's name: `genes.symbol` on files refers to
 * the genes of their cases. Returns undefined if the datasets are not related.
 */
export function resolveRelated(dataset: Dataset, name: string): FieldPath | undefined {
  return relatedAt(dataset, '', name)
}

/** Resolves a field of cases, on the case that cohort filters of the dataset apply to. */
export function resolveCaseField(dataset: Dataset, name: string): FieldPath | undefined {
  const own = name.replace(/^cases?\./, '')
  if (dataset.name === 'genes') {
    // When genes are listed, a cohort's filter on genes may match any gene of a case, not only the listed gene.
    const other = relatedAt(DATASETS.cases, '', own)
    const toCase = pairField(dataset, 'case.case_id')?.steps
    if (other && toCase) return behind(toCase, other, `case.${other.path}`)
  }
  return (
    wholeCaseField(dataset, own) ??
    fieldAt(dataset, dataset.caseAt, own) ??
    relatedAt(dataset, dataset.caseAt, own)
  )
}

/**
 * Resolves a field of which the records contain only a part: a file contains only the samples from which it was
 * made. A cohort is selected among whole cases (data-commons.md 11.44), so the field is read from the case
 * itself.
 */
function wholeCaseField(dataset: Dataset, name: string): FieldPath | undefined {
  const mount = dataset.mounts.find(({ at }) => at === dataset.caseAt)
  const [first = ''] = name.split('.')
  if (mount?.kind !== 'link' || !mount.own.includes(first)) return undefined
  const field = resolveField(DATASETS.cases, name)
  const steps = stepsOver(dataset, mount, '', () => true)
  return field && behind(steps, field, `${mount.at}.${field.path}`)
}

/** Returns the dataset that a request names, in the plural or singular. */
export const relatedName = (name: string): RelatedName | undefined =>
  Object.hasOwn(NAMES, name) ? NAMES[name] : undefined

/** @param at path of the record whose relations are used: empty for the record itself, otherwise a case */
function relatedAt(dataset: Dataset, at: string, name: string): FieldPath | undefined {
  const dot = name.indexOf('.')
  const first = name.slice(0, Math.max(dot, 0))
  const other = relatedName(first)
  const path = other && (at === '' ? dataset : DATASETS.cases).related[other]
  return path === undefined ? undefined : fieldAt(dataset, joined(at, path), name.slice(dot + 1))
}

/** Resolves a field of the records at a path: a group of the dataset, records behind joins, or pairs. */
function fieldAt(dataset: Dataset, at: string, name: string): FieldPath | undefined {
  const own = resolveField(dataset, joined(at, name))
  if (own) return own
  const steps: Step[] = []
  let here = dataset
  let prefix = ''
  let rest = at
  for (;;) {
    const mount = [...here.mounts, ...here.joins].find(
      (one) => rest === one.at || rest.startsWith(`${one.at}.`),
    )
    if (!mount) break
    steps.push(...stepsOver(here, mount, prefix, () => true))
    here = DATASETS[mount.dataset]
    prefix += `${mount.at}.`
    rest = rest.slice(mount.at.length + 1)
  }
  const field = rest === '' ? resolveField(here, name) : pairField(here, joined(rest, name))
  return field && (steps.length === 0 ? field : behind(steps, field, prefix + field.path))
}

/** Resolves a field of case and gene pairs from either side. */
function pairField({ name }: Dataset, path: string): FieldPath | undefined {
  if (name === 'cases') return resolverOf('case', 'case')(path)
  return name === 'genes' ? resolverOf('gene', 'gene')(path) : undefined
}

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('.')

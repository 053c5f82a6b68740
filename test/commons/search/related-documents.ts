import type { Dataset, DatasetName, FieldType } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import {
  above,
  canonical,
  type Field,
  ownField,
  standingAt,
  typeOf,
  type View,
} from './simple-evaluator.ts'
import { type Document, isSameId, type OwnDocuments, wholeDocuments } from './whole-documents.ts'

// Fields of related records as in data-commons.md 1.2.6: documents that contain the related records, and the
// names by which requests reach these.

type Other = 'cases' | 'files' | 'genes' | 'ssms' | 'cnvs'

/** The table of 1.2.6: the part of a record for each prefix. Datasets that are not listed have no related fields. */
const RELATED: Readonly<Partial<Record<DatasetName, Readonly<Partial<Record<Other, string>>>>>> = {
  cases: { genes: 'gene', ssms: 'gene.ssm', cnvs: 'gene.cnv' },
  files: { genes: 'cases.gene', ssms: 'cases.gene.ssm', cnvs: 'cases.gene.cnv' },
  projects: throughCases(),
  annotations: throughCases(),
  genes: { cases: 'case', files: 'case.files', ssms: 'case.ssm', cnvs: 'case.cnv' },
  ssms: { cases: 'occurrence.case', genes: 'consequence.transcript.gene' },
  ssm_occurrences: { cases: 'case', genes: 'ssm.consequence.transcript.gene', ssms: 'ssm' },
  cnvs: { cases: 'occurrence.case', genes: 'consequence.gene' },
  cnv_occurrences: { cases: 'case', genes: 'cnv.consequence.gene', cnvs: 'cnv' },
  segment_cnvs: { cases: 'occurrence.case' },
  segment_cnv_occurrences: { cases: 'case' },
}

function throughCases() {
  return {
    cases: 'cases',
    files: 'cases.files',
    genes: 'cases.gene',
    ssms: 'cases.gene.ssm',
    cnvs: 'cases.gene.cnv',
  }
}

/** Records of another dataset within the documents of one. */
interface Part {
  readonly at: string
  readonly typeOf: (path: string) => FieldType | undefined
  /** Nested paths within the part; `isNested` tells whether the part itself is nested. */
  readonly nested: readonly string[]
  readonly isNested: boolean
}

const partOf = (at: string, dataset: Dataset, isNested: boolean): Part => ({
  at,
  isNested,
  nested: dataset.nested,
  typeOf: (path) => typeOf(dataset, path),
})

/** A mutation or copy-number change of a gene in a case, with its observation in the case (6.1). */
const changePart = (at: string, by: 'ssm' | 'cnv'): Part => ({
  at,
  isNested: true,
  nested: ['consequence', 'observation'],
  typeOf: (path) =>
    typeOf(
      DATASETS[`${by}_occurrences`],
      path.startsWith('observation.') ? `case.${path}` : `${by}.${path}`,
    ),
})

function pairParts(at: string, other: Dataset): readonly Part[] {
  return [partOf(at, other, true), changePart(`${at}.ssm`, 'ssm'), changePart(`${at}.cnv`, 'cnv')]
}

const { cases, genes } = DATASETS

const PARTS: Readonly<Partial<Record<DatasetName, readonly Part[]>>> = {
  cases: pairParts('gene', genes),
  files: pairParts('cases.gene', genes),
  projects: [partOf('cases', cases, true), ...pairParts('cases.gene', genes)],
  // An annotation has one case.
  annotations: [partOf('cases', cases, false), ...pairParts('cases.gene', genes)],
  genes: pairParts('case', cases),
  ssms: [partOf('occurrence.case', cases, false)],
  ssm_occurrences: [partOf('case', cases, false)],
  cnvs: [partOf('occurrence.case', cases, false)],
  cnv_occurrences: [partOf('case', cases, false)],
  segment_cnvs: [partOf('occurrence.case', cases, false)],
  segment_cnv_occurrences: [partOf('case', cases, false)],
}

export interface RelatedView extends View {
  /** Returns all names of a field by its path in the documents. */
  readonly names: (path: string) => readonly string[]
}

export function relatedView(name: DatasetName): RelatedView {
  const dataset = DATASETS[name]
  const related = Object.entries(RELATED[name] ?? {}) as (readonly [Other, string])[]
  return {
    dataset,
    field(asked) {
      const path = canonical(asked)
      const own = ownField(dataset, path)
      if (own) return own
      const [first = '', ...rest] = path.split('.')
      const at = related.find(([other]) => first === other || `${first}s` === other)?.[1]
      return at === undefined ? undefined : fieldAt(name, [at, ...rest].join('.'))
    },
    names(path) {
      const parts = related.filter(([, at]) => path.startsWith(`${at}.`))
      const [other = '', at = ''] = parts.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
      const rest = path.slice(at.length)
      const others = at === '' ? [] : [other + rest, other.slice(0, -1) + rest]
      const isOwn = (name: string) => ownField(dataset, name) !== undefined
      // The record's own group comes first, such as `case.` of an occurrence.
      return [...(isOwn(path) ? [path] : []), ...others.filter((name) => !isOwn(name))]
    },
  }
}

/** Finds a field of the documents by its path. */
function fieldAt(name: DatasetName, path: string): Field | undefined {
  const dataset = DATASETS[name]
  const own = ownField(dataset, path)
  if (own) return own
  const known = PARTS[name] ?? []
  const part = known.findLast(({ at }) => path.startsWith(`${at}.`))
  const type = part?.typeOf(path.slice(part.at.length + 1))
  if (!part || !type) return undefined
  const parts = known.filter(({ at }) => path.startsWith(`${at}.`))
  const nested = parts.flatMap((one) => [
    ...(one.isNested ? [one.at] : []),
    ...one.nested.map((level) => `${one.at}.${level}`),
  ])
  // Levels above the first part are nested as in the dataset.
  const outer = dataset.nested.filter((level) => `${parts[0]?.at}.`.startsWith(`${level}.`))
  return { path, type, nested: above([...new Set([...outer, ...nested])], path) }
}

/** Whole documents of a dataset with their related records. */
export function relatedDocuments(all: OwnDocuments, name: DatasetName): Document[] {
  const documents = wholeDocuments(all, name)
  const related = new Related(all)
  switch (name) {
    case 'cases':
      return documents.map((one) => related.withGenes(one))
    case 'files':
      return documents.map((one) => ({
        ...one,
        ...('cases' in one && { cases: each(one.cases, (part) => related.ofCase(part, ['gene'])) }),
      }))
    case 'projects':
      return documents.map((one) => ({
        ...one,
        cases: related.cases
          .filter(({ project }) =>
            isSameId(DATASETS.projects, (project as Document | null)?.project_id, one.project_id),
          )
          .map((patient) => related.withGenes(patient)),
      }))
    case 'annotations':
      return documents.map((one) => {
        const patient = related.find(one.case_id)
        return patient ? { ...one, cases: related.withGenes(patient) } : one
      })
    case 'genes':
      return documents.map((one) => ({ ...one, case: related.casesOf(one) }))
    default:
      return documents.map((one) =>
        'occurrence' in one
          ? { ...one, occurrence: each(one.occurrence, (each) => related.inCase(each)) }
          : related.inCase(one),
      )
  }
}

function each(value: unknown, change: (part: Document) => Document): unknown {
  if (Array.isArray(value)) return value.map((one) => each(one, change))
  return typeof value === 'object' && value !== null ? change(value as Document) : value
}

/** Stands for all genes without a record in each case, and comes first. */
const WITHOUT_RECORD: Document = {}

/** A gene in a case, and the changes that affect it there. */
interface Pair {
  readonly patient: Document
  readonly gene: Document
  readonly ssm: readonly Document[]
  readonly cnv: readonly Document[]
}

class Related {
  readonly #all: OwnDocuments
  readonly cases: readonly Document[]
  #pairs: readonly Pair[] | undefined

  constructor(all: OwnDocuments) {
    this.#all = all
    this.cases = wholeDocuments(all, 'cases')
  }

  find(caseId: unknown): Document | undefined {
    return this.cases.find((one) => isSameId(cases, one.case_id, caseId))
  }

  withGenes(patient: Document): Document {
    const gene = this.#allPairs()
      .filter((pair) => pair.patient.case_id === patient.case_id)
      .map(({ gene, ssm, cnv }) => ({ ...gene, ssm, cnv }))
    return { ...patient, gene }
  }

  casesOf(gene: Document): readonly Document[] {
    return this.#allPairs()
      .filter((pair) => pair.gene.gene_id === gene.gene_id)
      .map(({ patient, ssm, cnv }) => ({ ...patient, ssm, cnv }))
  }

  /** A link to a case with members of the case that the document does not show. */
  ofCase(part: Document, members: readonly string[]): Document {
    const found = this.find(part.case_id)
    if (!found) return part
    const whole = this.withGenes(found)
    return { ...part, ...Object.fromEntries(members.map((member) => [member, whole[member]])) }
  }

  /** An occurrence whose case includes its files. */
  inCase(occurrence: Document): Document {
    return 'case' in occurrence
      ? { ...occurrence, case: each(occurrence.case, (part) => this.ofCase(part, ['files'])) }
      : occurrence
  }

  #allPairs(): readonly Pair[] {
    this.#pairs ??= this.cases.flatMap((patient) =>
      [WITHOUT_RECORD, ...this.#all.genes]
        .map((gene) => ({
          patient,
          gene,
          ssm: this.#changes('ssm', patient, gene),
          cnv: this.#changes('cnv', patient, gene),
        }))
        .filter(({ ssm, cnv }) => ssm.length + cnv.length > 0),
    )
    return this.#pairs
  }

  /**
   * The changes of a case that affect a gene. A simple mutation shows its consequences in that gene, once for
   * each run of them; any other change shows all.
   */
  #changes(by: 'ssm' | 'cnv', patient: Document, gene: Document): readonly Document[] {
    const changes = DATASETS[`${by}s`]
    return this.#all[`${by}_occurrences`].flatMap((occurrence) => {
      const { case: where, [by]: named } = occurrence as Record<string, Document | null>
      if (!isSameId(cases, patient.case_id, where?.case_id ?? '')) return []
      const change = this.#all[`${by}s`].find((one) =>
        isSameId(changes, one[changes.idField], named?.[changes.idField] ?? ''),
      )
      if (!change) return []
      const consequences = [change.consequence ?? []].flat() as (Document | null)[]
      const elements = consequences.filter((one) => typeof one === 'object' && one !== null)
      const runs = runsOf(elements as Document[], (one) => this.#isHit(gene, geneOf(by, one)))
      const own = { ...change, ...named, observation: where?.observation ?? [] }
      if (by === 'ssm') return runs.map((consequence) => ({ ...own, consequence }))
      return runs.length > 0 ? [{ ...own, consequence: elements }] : []
    })
  }

  #isHit(gene: Document, id: unknown): boolean {
    const isKnown = this.#all.genes.some((known) => known.gene_id === id)
    return gene === WITHOUT_RECORD ? !isKnown : gene.gene_id === id
  }
}

/** The gene affected by a consequence; the first by name if there are several. */
function geneOf(by: 'ssm' | 'cnv', consequence: Document): unknown {
  const path = by === 'ssm' ? ['transcript', 'gene', 'gene_id'] : ['gene', 'gene_id']
  return standingAt(consequence, path).sort()[0]
}

/** Uninterrupted runs of elements that pass the test. */
function runsOf(
  elements: readonly Document[],
  passes: (element: Document) => boolean,
): readonly (readonly Document[])[] {
  const runs: Document[][] = []
  let isOpen = false
  for (const element of elements) {
    const isIn = passes(element)
    if (isIn && isOpen) runs.at(-1)?.push(element)
    else if (isIn) runs.push([element])
    isOpen = isIn
  }
  return runs
}

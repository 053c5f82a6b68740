import { createHash } from 'node:crypto'
import { randomFrom } from '../../../../fixtures/random.ts'

/** A stored file with the expected bytes of its download. */
export interface RetainedFile {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
}

export const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** @example idOf(7) // '0d000000-0000-4000-8000-000000000007' */
export const idOf = (n: number) => `0d000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Returns incompressible bytes, which differ between seeds. */
export function someBytes(length: number, seed: number): Buffer {
  const random = randomFrom()
  random.reseed(seed)
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = random.below(256)
  return bytes
}

/** Documents by dataset, and replaced files, in any order of ids. */
export type Records = Readonly<
  Partial<
    Record<'projects' | 'cases' | 'files' | 'genes' | 'annotations' | 'replaced', readonly object[]>
  >
>

const ID_FIELDS: Readonly<Record<string, string>> = {
  projects: 'project_id',
  cases: 'case_id',
  files: 'file_id',
  genes: 'gene_id',
  annotations: 'annotation_id',
  replaced: 'id',
}

/** The lines that a build reads: one document each, ascending by id. */
export function linesOf(dataset: string, documents: readonly object[]): string {
  const field = ID_FIELDS[dataset] ?? ''
  const idOfOne = (one: object) => String(Reflect.get(one, field))
  const sorted = documents.toSorted((a, b) => (idOfOne(a) < idOfOne(b) ? -1 : 1))
  return sorted.map((one) => `${JSON.stringify(one)}\n`).join('')
}

export const CASE = idOf(900)
export const OTHER_CASE = idOf(901)
/** The id of a case whose project has no record. */
export const STRAY_CASE = idOf(902)
export const ANNOTATIONS = [idOf(800), idOf(801)] as const

export const listed = ({ id, name, bytes }: RetainedFile) => ({
  file_id: id,
  file_name: name,
  file_size: bytes.length,
  md5sum: md5Of(bytes),
  state: 'released',
})

/** The record of a file; unless stated otherwise, it is open and belongs to one case. */
export const recordOf = (file: RetainedFile, more: object = {}) => ({
  ...listed(file),
  access: 'open',
  acl: ['open'],
  data_format: 'TXT',
  cases: [{ case_id: CASE }],
  ...more,
})

/** The records to which those of files refer. */
export const SURROUNDINGS = {
  projects: [
    {
      project_id: 'ALPHA-1',
      name: 'Alpha',
      registry_accession_number: 'phs000001',
      program: { name: 'GREEK', registry_accession_number: 'phs000100' },
    },
    { project_id: 'BETA-2', name: 'Beta', program: { name: 'GREEK' } },
  ],
  cases: [
    { case_id: CASE, submitter_id: 'A-1', project: { project_id: 'ALPHA-1' } },
    { case_id: OTHER_CASE, submitter_id: 'B-1', project: { project_id: 'BETA-2' } },
  ],
  annotations: ANNOTATIONS.map((annotation_id, i) => ({
    annotation_id,
    submitter_id: `note-${i}`,
    entity_type: 'case',
    entity_id: CASE,
    case_id: CASE,
    category: 'General',
    classification: 'Observation',
    created_datetime: '2020-01-02T03:04:05Z',
    status: 'Approved',
    notes: i === 0 ? 'a tab\tand a\nline' : null,
    project: { project_id: 'ALPHA-1' },
  })),
} satisfies Records

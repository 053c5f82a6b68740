import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetName } from '../../datasets/define.ts'

/** A small coherent set of own documents. For tests only. */

const uuid = (kind: number, i: number) =>
  `${Math.imul(i + 1, 2654435761)
    .toString(16)
    .replace('-', '')
    .padStart(8, '0')
    .slice(-8)}-` + `000${kind}-4000-8000-${String(i).padStart(12, '0')}`

const range = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))

export type Documents = Partial<Record<DatasetName, readonly Readonly<Record<string, unknown>>[]>>

const byId = <T extends Record<string, unknown>>(field: keyof T, records: T[]) =>
  records.sort((a, b) =>
    Buffer.compare(Buffer.from(String(a[field])), Buffer.from(String(b[field]))),
  )

const sample = (i: number) => ({
  sample_id: uuid(5, i),
  sample_type: i % 3 ? 'Primary Tumor' : 'Blood Derived Normal',
  portions: range(i % 3, (j) => ({ portion_id: uuid(6, i * 3 + j), weight: j / 4 })),
})

/** @param size files; there are a tenth as many cases, and as many mutations */
export function someDocuments(
  size: number,
): Required<Pick<Documents, 'projects' | 'cases' | 'files' | 'ssms' | 'ssm_occurrences'>> {
  const caseCount = Math.max(1, Math.floor(size / 10))
  const cases = byId(
    'case_id',
    range(caseCount, (i) => ({
      case_id: uuid(1, i),
      submitter_id: `CASE-${i}`,
      primary_site: ['Kidney', 'Brain', 'Thymus'][i % 3],
      lost_to_followup: i % 2 ? null : 'No',
      project: { project_id: i % 7 === 6 ? 'GONE' : `P-${i % 2}` },
      demographic: { gender: i % 2 ? 'male' : 'female', days_to_birth: -i * 400 },
      diagnoses: range(i % 3, (j) => ({ age_at_diagnosis: i * 10 + j, morphology: '8140/3' })),
      samples: [sample(2 * i), sample(2 * i + 1)],
    })),
  )
  const caseAt = (i: number) => String(cases[i % caseCount]?.case_id)
  const files = byId(
    'file_id',
    range(size, (i) => ({
      file_id: uuid(2, i),
      file_name: i === 3 ? 'tab\tand\nbreak.txt' : `file ${i}.${i % 2 ? 'bam' : 'vcf'}`,
      md5sum: uuid(3, i).replaceAll('-', ''),
      file_size: i * 1000,
      access: i % 3 ? 'open' : 'Controlled',
      acl: i % 5 ? ['open'] : ['phs1', 'open', 'phs1'],
      ...(i % 4 ? { state: 'released' } : {}),
      cases: range(i % 10 === 9 ? 2 : 1, (j) => ({
        case_id: i === 8 ? uuid(9, 0) : caseAt(i * 7 + j),
        samples: [sample(i % 20)],
      })),
    })),
  )
  const ssms = byId(
    'ssm_id',
    range(caseCount, (i) => ({
      ssm_id: uuid(4, i),
      chromosome: `chr${(i % 22) + 1}`,
      consequence: [{ transcript: { transcript_id: `T${i}`, is_canonical: true } }],
    })),
  )
  const occurrences = byId(
    'ssm_occurrence_id',
    range(caseCount * 2, (i) => ({
      ssm_occurrence_id: uuid(7, i),
      ssm: { ssm_id: ssms[i % caseCount]?.ssm_id },
      case: { case_id: caseAt(i * 3).toUpperCase(), observation: [{ read_depth: { t_depth: i } }] },
    })),
  )
  const projects = range(2, (i) => ({ project_id: `P-${i}`, name: `Project ${i}`, released: true }))
  return { projects, cases, files, ssms, ssm_occurrences: occurrences }
}

/** Writes one source file per dataset. Returns their paths. */
export async function writeSources(folder: string, documents: Documents) {
  const sources: Partial<Record<DatasetName, string>> = {}
  for (const [name, records] of Object.entries(documents) as [DatasetName, readonly object[]][]) {
    const path = join(folder, `${name}.ndjson`)
    await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    sources[name] = path
  }
  return sources
}

import { expect, test } from 'vitest'
import { DATASET_NAMES } from '../datasets/define.ts'
import { Intake } from './intake.ts'
import { EntryRecorder, type RecordedEntries } from './recorded-entries.ts'
import { TableReading } from './table-reading.ts'
import { mutationTable } from './tables/mutation-table.ts'
import { TextBytes } from './text-bytes.ts'

/** Cells of the columns that must be valid. All other cells contain the name of their column. */
const CELLS: Readonly<Record<string, string>> = {
  ...{ Chromosome: 'chr7', Start_Position: '5', End_Position: '5', NCBI_Build: '38' },
  ...{ Reference_Allele: 'A', Tumor_Seq_Allele1: 'A', Tumor_Seq_Allele2: 'T' },
  ...{ t_depth: '30', t_ref_count: '20', t_alt_count: '10', n_depth: '0' },
  ...{ COSMIC: 'COSM2;COSM1', dbSNP_RS: 'rs7', Gene: 'ENSG00000157764.14', CANONICAL: 'YES' },
  ...{ HGVSp_Short: 'p.V600E', CDS_position: '1799/2301', SIFT: 'tolerated(0.05)' },
  ...{ PolyPhen: 'benign(0.001)', Tumor_Sample_Barcode: 'TCGA-AA-0001-01A-11D-A001-08' },
  Hugo_Symbol: 'B "R" \u00c4F',
  case_id: 'C1000000-0000-4000-8000-00000000000A',
  all_effects: 'BRAF,missense_variant,p.V600E,ENST2,NM_1.1,c.1,HIGH,YES,tolerated(1),benign(0)',
}

const names = Object.values(mutationTable.columns).flatMap((column) => column.names)
const PATIENTS = ['case_id', 'Tumor_Sample_Barcode', 'Tumor_Sample_UUID']

function read(header: readonly string[]) {
  const recorder = new EntryRecorder(new TextBytes(0))
  const intake = new Intake(recorder, { maxErrors: 0 })
  const table = { kind: mutationTable, hasRowNames: false, fileName: 'x.maf', as: undefined }
  const reading = new TableReading(table, intake, { names: header, line: 1 })
  reading.take({ line: 2, cells: header.map((name) => CELLS[name] ?? name) })
  return partsOf(recorder.entries)
}

function partsOf({
  bytes,
  ids,
  datasets,
  ranks,
  offsets,
  lengths,
  endings,
  names: keys,
}: RecordedEntries) {
  return Object.fromEntries(
    ids.map((id, i) => {
      const [offset = 0, length = 0, ending = -1] = [offsets[i], lengths[i], endings[i]]
      const whole = Buffer.from(bytes.subarray(offset, offset + length))
      const end = length - Math.max(0, ending)
      const [text, added] = [whole.toString('utf8', 0, end), whole.toString('utf8', end)]
      const said = { id, rank: ranks[i], text, added, key: keys[i] }
      return [DATASET_NAMES[datasets[i] ?? -1] ?? '', { ...said, isAlone: ending >= 0 }]
    }),
  )
}

test.each([
  ['every column', names],
  ['no case id', names.filter((name) => name !== 'case_id')],
  ['a case id alone', names.filter((name) => name === 'case_id' || !PATIENTS.includes(name))],
  ['no effects', names.filter((name) => CELLS[name] !== undefined && name !== 'all_effects')],
  ['one effect', names.filter((name) => !['Transcript_ID', 'Feature'].includes(name))],
  [
    'no observation',
    ['Chromosome', 'Start_Position', 'Reference_Allele', 'Tumor_Seq_Allele2', 'case_id'],
  ],
])('a row with %s is staged in the parts into which its record is split', (_, header) => {
  const parts = read(header)
  const { ssms, cases, ssm_occurrences: occurrence } = parts
  const { case_id: _made, ...link } = JSON.parse(cases?.text ?? '')
  const { case: given, ...others } = JSON.parse(occurrence?.text ?? '')
  const recorder = new EntryRecorder(new TextBytes(0))
  const intake = new Intake(recorder, { maxErrors: 0 })
  intake.record('ssm_occurrences', {
    ...others,
    ssm: JSON.parse(ssms?.text ?? ''),
    case: {
      ...(header.includes('case_id') && { case_id: CELLS.case_id ?? null }),
      ...link,
      observation: given.observation,
    },
  })
  expect(partsOf(recorder.entries)).toEqual(parts)
  expect(intake.counted.unknown).toEqual([])
})

import type { JsonObject } from '../../../shared/input/json-value.ts'
import { readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

/** A flat table of alignment files with case, sample and aliquot. */
export const alignmentTable: TableKind = {
  name: 'table of alignment files',
  needs: ['file_id', 'file_name', 'case_id', 'aliquot_id'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const aliquot = defined({
        aliquot_id: uuidIn(cell('aliquot_id'), 'aliquot_id'),
        submitter_id: cell('aliquot_submitter_id'),
      })
      const sample = defined({
        sample_id: uuidIn(cell('sample_id'), 'sample_id'),
        submitter_id: cell('sample_submitter_id'),
        sample_type: cell('sample_type'),
        portions: [{ analytes: [{ aliquots: [aliquot] }] }],
      })
      const project = cell('project_id')
      table.intake.record(
        'files',
        defined({
          file_id: uuidIn(cell('file_id'), 'file_id'),
          file_name: cell('file_name'),
          file_size: wholeNumber(cell('file_size')),
          md5sum: cell('md5sum'),
          ...alignment(cell('file_name'), table.fileName),
          average_read_length: wholeNumber(cell('read_length')),
          cases: [
            defined({
              case_id: uuidIn(cell('case_id'), 'case_id'),
              submitter_id: cell('case_submitter_id'),
              project: project === undefined ? undefined : { project_id: project },
              samples: [sample],
            }),
          ],
        }),
      )
    }),
}

const WHOLE_GENOME = /(^|[._])(wgs|whole_?genome)([._]|$)/i

/** What the names of an alignment file and of its table say. */
function alignment(name: string | undefined, tableName: string): JsonObject {
  if (!name || !/\.(bam|cram)$/i.test(name)) return {}
  return {
    data_category: 'Sequencing Reads',
    data_type: 'Aligned Reads',
    ...(WHOLE_GENOME.test(name) || WHOLE_GENOME.test(tableName)
      ? { experimental_strategy: 'WGS' }
      : {}),
  }
}

const KNOWN = [
  'file_id',
  'file_name',
  'file_size',
  'md5sum',
  'project_id',
  'case_id',
  'case_submitter_id',
  'sample_id',
  'sample_submitter_id',
  'sample_type',
  'aliquot_id',
  'aliquot_submitter_id',
  'read_length',
]

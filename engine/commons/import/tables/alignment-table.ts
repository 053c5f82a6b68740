import type { JsonObject } from '../../../shared/input/json-value.ts'
import { count, id, md5, name, text } from '../columns.ts'
import { defined } from '../defined.ts'
import { declareTable } from '../table-kind.ts'

/** A table of alignment files, each with its case, sample and aliquot. */
export const alignmentTable = declareTable({
  name: 'table of alignment files',
  columns: {
    file: id('file_id'),
    fileName: name('file_name'),
    size: count('file_size'),
    md5: md5('md5sum'),
    project: text('project_id'),
    caseId: id('case_id'),
    caseName: name('case_submitter_id'),
    sample: id('sample_id'),
    sampleName: name('sample_submitter_id'),
    sampleType: text('sample_type'),
    aliquot: id('aliquot_id'),
    aliquotName: name('aliquot_submitter_id'),
    readLength: count('read_length'),
  },
  needs: ['file', 'fileName', 'caseId', 'aliquot'],
  open: (table) => (row) => {
    const aliquot = defined({ aliquot_id: row.aliquot, submitter_id: row.aliquotName })
    const sample = defined({
      sample_id: row.sample,
      submitter_id: row.sampleName,
      sample_type: row.sampleType,
      portions: [{ analytes: [{ aliquots: [aliquot] }] }],
    })
    table.intake.record(
      'files',
      defined({
        file_id: row.file,
        file_name: row.fileName,
        file_size: row.size,
        md5sum: row.md5,
        ...alignment(row.fileName, table.fileName),
        average_read_length: row.readLength,
        cases: [
          defined({
            case_id: row.caseId,
            submitter_id: row.caseName,
            project: row.project === undefined ? undefined : { project_id: row.project },
            samples: [sample],
          }),
        ],
      }),
    )
  },
})

const WHOLE_GENOME = /(^|[._])(wgs|whole_?genome)([._]|$)/i

/** Returns file members implied by the names of an alignment file and of its table. */
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

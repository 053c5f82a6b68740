import { fields } from '../compose.ts'
import { analysis, archive, fileProperties, metadataFile } from './file-properties.ts'
import { readGroups } from './read-group.ts'
import { center } from './site.ts'

/** A file as cases show it. The dataset of files adds the cases and a few fields. */
export const file = {
  ...fileProperties,
  ...fields({ keyword: 'acl tags type' }),
  analysis: { ...analysis, input_files: fileProperties, metadata: { read_groups: readGroups } },
  archive,
  center,
  downstream_analyses: { ...analysis, output_files: fileProperties },
  index_files: fileProperties,
  metadata_files: metadataFile,
}

const legacyProperties = fields({ keyword: 'proc_internal' })

/** Fields of a file that are shown on request alone. `consent` is not in the public service. */
export const hiddenFile = {
  ...legacyProperties,
  ...fields({ exact: 'consent' }),
  analysis: { input_files: legacyProperties },
  downstream_analyses: { output_files: legacyProperties },
  index_files: legacyProperties,
}

export const fileLevels = [
  'analysis.input_files',
  'analysis.metadata.read_groups',
  'analysis.metadata.read_groups.read_group_qcs',
  'downstream_analyses',
  'downstream_analyses.output_files',
  'index_files',
  'metadata_files',
]

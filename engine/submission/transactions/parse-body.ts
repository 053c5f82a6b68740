import { EngineError } from '../../shared/errors.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { utf8Text } from '../../shared/input/utf8-text.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { parseDocuments } from './parse-documents.ts'
import { parseTable } from './parse-table.ts'
import type { Submitted } from './submitted.ts'

export type SubmissionFormat = 'json' | 'tsv' | 'csv'

/**
 * Returns the format of a body, determined by its content type. Anything that is not a table is taken as JSON,
 * because clients send JSON with various content types or none (submission.md 7.3).
 */
export function formatOf(contentType: string | undefined): SubmissionFormat {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')
  switch (type.trim()) {
    case 'text/tsv':
    case 'text/tab-separated-values':
      return 'tsv'
    case 'text/csv':
      return 'csv'
    default:
      return 'json'
  }
}

/**
 * Parses a body (submission.md 7.3 and 8). Cells of tables are converted to the types of their properties.
 * Nothing is validated against the dictionary.
 * @throws EngineError `bad_input` if it cannot be parsed, `too_many` over a limit
 */
export function parseBody(
  body: Uint8Array,
  format: SubmissionFormat,
  types: ReadonlyMap<string, EntityType>,
): readonly Submitted[] {
  const text = decode(body)
  if (format === 'json') return parseDocuments(text)
  return parseTable(text, format === 'tsv' ? '\t' : ',', types)
}

function decode(body: Uint8Array): string {
  try {
    return utf8Text(body)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('bad_input', `the document is not taken: ${cause.message}`, { cause })
  }
}

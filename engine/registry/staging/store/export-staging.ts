import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import { type ZipText, zipStream } from '../../../shared/streams/zip-stream.ts'
import { schemaText, tableText, termText } from '../algorithm/archive-text.ts'
import { textsOfSchema, textsOfTable } from '../algorithm/glossary.ts'
import type { LoadedVersion } from './loaded-version.ts'

/**
 * Exports a version as an archive in the published layout, which importStaging and the publisher's library
 * can read (registry.md 4.1). Equal versions give equal bytes.
 */
export function exportStaging(version: LoadedVersion): ByteStream {
  return generatedStream({ rest: zipStream(filesOf(version)) }, { giveBack: () => {} })
}

function* filesOf(version: LoadedVersion): Generator<ZipText> {
  const { tables, schemas, glossary } = version.content
  const found = new Map<string, string>()
  const findTerms = (texts: readonly string[]) => {
    for (const { keyword, id } of version.glossary.search(texts)) found.set(keyword, id)
  }
  const tableIds = [...tables.keys()].sort()
  yield { name: 'tables/ids.txt', text: () => linesOf(tableIds) }
  for (const id of tableIds) {
    const table = version.table(id)
    findTerms(textsOfTable(table))
    yield { name: `tables/${id}.json`, text: () => tableText(version.complete(table)) }
  }
  const schemaIds = [...schemas.keys()].sort()
  yield { name: 'schemas/ids.txt', text: () => linesOf(schemaIds) }
  for (const id of schemaIds) {
    const schema = version.schema(id)
    findTerms(textsOfSchema(schema))
    yield { name: `schemas/${id}.json`, text: () => schemaText(version.complete(schema)) }
  }
  if (glossary.size === 0) return
  // The publisher's library searches only for terms of this form, and cannot read others.
  const terms = [...found.keys()].filter((keyword) => !/[~\r\n]/.test(keyword)).sort()
  const termLines = terms.map((keyword) => `${keyword}~${found.get(keyword)}`)
  yield { name: 'glossary/terms.txt', text: () => linesOf(termLines) }
  for (const [id, term] of glossary) {
    yield { name: `glossary/${id}.json`, text: () => termText(term) }
  }
}

const linesOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

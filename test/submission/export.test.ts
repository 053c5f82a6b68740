import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ExportFormat } from '../../engine/submission-export/exported.ts'
import {
  type ExportRequest,
  SubmissionExport,
} from '../../engine/submission-export/submission-export.ts'
import { canRun, DIALECTS, prepareBed } from '../database/support/dialects.ts'
import { graphs, MADE_TYPES, REFERENCES } from './support/made-graph.ts'
import { AS_ADMIN, MadeSubmission, type UploadBody } from './support/service.ts'

const PROJECT = 'DEMO-ONE'

describe.each(DIALECTS.filter(canRun))('exports from %s', (dialect) => {
  let made: MadeSubmission
  let exports: SubmissionExport
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    const dictionary = { current: () => MadeSubmission.dictionary() }
    exports = new SubmissionExport({ ...made, dictionary, temporaryFolder: made.folder })
  })
  beforeEach(async () => {
    await made.reset()
    await prepare()
  })
  afterAll(() => made.close())

  async function prepare() {
    await made.register(PROJECT)
    const body = Buffer.from(JSON.stringify(REFERENCES))
    await made.submission.registry.putReferences({ ...AS_ADMIN, body, format: 'json' })
  }

  async function exported(asked: Partial<ExportRequest>) {
    const { body, close, ...facts } = await exports.export({
      ...made.at(PROJECT),
      ...{ ids: [], nodeLabel: undefined, format: 'tsv', withoutIds: false },
      ...{ withChildren: false, categories: [], ...asked },
    })
    try {
      const chunks: Buffer[] = []
      // The memory of a chunk is used again.
      for await (const chunk of body) chunks.push(Buffer.from(chunk))
      const bytes = Buffer.concat(chunks)
      if (facts.length !== undefined) expect(bytes.length).toBe(facts.length)
      return { ...facts, bytes, text: bytes.toString() }
    } finally {
      await close()
    }
  }

  async function put(text: string, format: ExportFormat) {
    const { body, status } = await made.submission.upload({
      ...{ ...made.at(PROJECT), operation: 'put', body: Buffer.from(text), format },
    })
    return { status, ...(body as UploadBody) }
  }

  /** All that is stored of entities and links. */
  function stored() {
    return made.database.read(async (rows) => ({
      entities: await rows.all('SELECT * FROM submission_entities ORDER BY id'),
      links: await rows.all('SELECT * FROM submission_links ORDER BY child, link, parent'),
    }))
  }

  async function create(documents: readonly object[]) {
    const answer = await put(JSON.stringify(documents), 'json')
    const errors = answer.entities.flatMap((one) => one.errors)
    expect([answer.status, answer.created_entity_count, errors]).toEqual([
      200,
      documents.length,
      [],
    ])
    return answer.entities.map(({ id }) => id ?? '')
  }

  test('what is exported can be put again, and changes nothing', async () => {
    const all = graphs(await MadeSubmission.dictionary())
    await fc.assert(
      fc.asyncProperty(all, fc.constantFrom('json', 'tsv', 'csv'), async (documents, format) => {
        await made.reset()
        await prepare()
        const ids = await create(documents)
        const before = await stored()
        const texts: string[] = []
        for (const nodeLabel of MADE_TYPES) {
          const { text } = await exported({ nodeLabel, format })
          texts.push(format === 'json' ? JSON.stringify(JSON.parse(text).data) : text)
        }
        const { bytes } = await exported({ ids, format })
        if (format === 'json') {
          texts.push(JSON.stringify(Object.values(JSON.parse(bytes.toString())).flat()))
        } else texts.push(...Object.values(await members(bytes)))
        let again = 0
        for (const text of texts) {
          const answer = await put(text, format)
          const errors = answer.entities.flatMap((one) => one.errors)
          expect([text, errors, answer.transactional_errors]).toEqual([text, [], []])
          again += answer.updated_entity_count
        }
        expect(again).toBe(2 * documents.length)
        expect(await stored()).toEqual(before)
      }),
      { numRuns: dialect === 'sqlite' ? 12 : 4, seed: 12 },
    )
  })
})

async function members(archive: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>()
  const reading = extract()
  reading.end(gunzipSync(archive))
  for await (const entry of reading) {
    found.set(entry.header.name, (await buffer(entry)).toString())
  }
  return Object.fromEntries(found)
}

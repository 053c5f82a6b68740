import { expect, test } from 'vitest'
import type { ServiceRequest } from '../../service/service.ts'
import { ServiceError } from '../../service/service.ts'
import { type FileProgress, resultTable, stageFile } from './stage-file.ts'

const VERSION = { algorithm: 'demo', version: '1.0' }

/** A service that stages C18, rejects all other sites, and counts its requests. */
function colonService(failing = 0) {
  const sent: number[] = []
  let fails = failing
  return {
    sent,
    async fetch({ lines = [] }: ServiceRequest): Promise<Response> {
      if (fails-- > 0) throw new ServiceError('busy', 503)
      sent.push(lines.length)
      const answers = (lines as readonly { readonly site: string }[]).map(({ site }, i) =>
        site.startsWith('C18')
          ? { result: 'STAGED', schema_id: 'bowel', output: { stage: '2' }, errors: [] }
          : { line: i + 1, error: { code: 'bad_input', message: `no site ${site}` } },
      )
      return new Response(answers.map((one) => `${JSON.stringify(one)}\n`).join(''))
    },
  }
}

async function staged(text: string, service = colonService()): Promise<FileProgress> {
  const file = new Blob([text])
  const { signal } = new AbortController()
  return stageFile({ service, version: VERSION, file, onProgress: () => {}, signal })
}

test('each row has one result, in order, however it fails', async () => {
  const text = 'site,hist,year_dx\nc18.2,8140/3,2020\nC500,8500,2020\nC180\nC180,8140,20\n'
  const { cases, results, failures, counts, lines } = await staged(text)
  expect(cases).toBe(4)
  expect([...results]).toEqual([
    ['STAGED', 1],
    ['INVALID_INPUT', 3],
  ])
  expect(failures.map(({ line, messages }) => [line, messages])).toEqual([
    [3, ['no site C500']],
    [4, ['The row has 1 cell, and the header 3.']],
    [5, ['write the year 20 with four digits: 1920 or 2020']],
  ])
  expect(Object.fromEntries(counts.get('site') ?? [])).toEqual({ C182: 1, C500: 1, C180: 2 })
  expect((await lines.text()).trimEnd().split('\n')).toHaveLength(4)
})

test('many cases go in parts, and the table has all inputs and outputs', async () => {
  const service = colonService()
  const rows = Array.from({ length: 1203 }, (_, i) => `C18${i % 9},8140,${i}`)
  const progress = await staged(`site,hist,id\n${rows.join('\n')}\n`, service)
  expect(service.sent.reduce((sum, count) => sum + count)).toBe(1203)
  expect(Math.max(...service.sent)).toBe(500)
  const table = (await (await resultTable(progress)).text()).trimEnd().split('\n')
  expect(table).toHaveLength(1204)
  expect(table[0]).toBe('line\tresult\tschema_id\tmessages\tsite\thist\tid\tstage')
  expect(table[1203]).toBe('1204\tSTAGED\tbowel\t\tC185\t8140\t1202\t2')
  // A table of counts lists at most 500 ids.
  expect(progress.counts.get('id')?.get('(others)')).toBe(1203 - 500)
})

test('a busy service is asked again, and a refusal ends it', async () => {
  expect((await staged('site,hist\nC182,8140\n', colonService(1))).cases).toBe(1)
  const refused = {
    sent: [],
    fetch: () => Promise.reject(new ServiceError('no key', 401)),
  }
  await expect(staged('site,hist\nC182,8140\n', refused)).rejects.toThrow('no key')
})

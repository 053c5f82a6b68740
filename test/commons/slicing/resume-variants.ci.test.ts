import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBed, makeGff, makeVcf } from '../../../fixtures/variants/make-variants.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { depth } from '../../depth.ts'
import { listenFor } from '../contract/support/listen.ts'
import { packed, printRegions, run } from './support/htslib.ts'
import { everyBytes } from './support/pack-bam.ts'

// Slices of variants and features have a length and a validator, and can be resumed at any byte. The whole slice
// has the records that bcftools and tabix print; each remainder is compared with it.

const CUTS = depth(40, 250, Number.POSITIVE_INFINITY)
const REGION = { reference: '2', start: 399_999, end: 420_000 }
const QUERY = 'region=2:400000-420000'

const KINDS = ['vcf', 'bcf', 'bed', 'gff'] as const
type Kind = (typeof KINDS)[number]

let folder = ''
let engine: Awaited<ReturnType<typeof openEngine>>
let server: RunningServer
const paths: Partial<Record<Kind, string>> = {}
const urls: Partial<Record<Kind, string>> = {}

beforeAll(async () => {
  if (!available.bcftools) return
  folder = await mkdtemp(join(tmpdir(), 'casemill-resume-variants-'))
  engine = await openEngine({ dataFolder: join(folder, 'data'), executor: inlineExecutor })
  server = await listenFor(engine)
  // Short blocks, so that the slice has copies between its edges.
  const store = async (kind: Exclude<Kind, 'bcf'>, text: string) => {
    const path = join(folder, `made.${kind}.gz`)
    const bytes = Buffer.from(text)
    await writeFile(path, packed(bytes, everyBytes(500, bytes.length)))
    await run('tabix', '-p', kind, path)
    paths[kind] = path
  }
  await store('vcf', makeVcf({ seed: 81, records: 8000 }))
  await store('bed', makeBed({ seed: 82, records: 8000 }))
  await store('gff', makeGff({ seed: 83, records: 8000 }))
  paths.bcf = join(folder, 'made.bcf')
  await run('bcftools', 'view', '--no-version', '-Ob', '-o', paths.bcf, paths.vcf!)
  await run('bcftools', 'index', paths.bcf)
  for (const kind of KINDS) {
    const what = { path: paths[kind]!, kind: 'variants', access: 'open' } as const
    const { file } = await engine.commons.importBam(what)
    urls[kind] = `${server.address}/slicing/view/${file.id}?${QUERY}`
  }
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

function* spread(size: number): Generator<number> {
  for (let at = 0; at < size; at += Math.max(1, size / CUTS)) yield Math.floor(at)
  yield size - 1
}

describe.skipIf(!available.bcftools).each(KINDS)('a slice of %s', (kind) => {
  test('has the records of the tool, a length and a validator, and goes on from every byte', async () => {
    const url = urls[kind]!
    const response = await fetch(url)
    const etag = response.headers.get('etag') ?? ''
    const whole = await bytesOf(response)
    expect(response.status).toBe(206)
    expect(response.headers.get('content-length')).toBe(`${whole.length}`)
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    const work = await mkdtemp(join(folder, 'printed-'))
    await writeFile(join(work, '0.ours'), whole)
    const [printed] = await printRegions(kind, paths[kind]!, [REGION], work)
    expect(printed?.ours.equals(printed.theirs)).toBe(true)
    expect(printed?.theirs.length).toBeGreaterThan(500)

    for (const at of spread(whole.length)) {
      const headers = { Range: `bytes=${at}-`, 'If-Range': etag }
      const rest = await fetch(url, { headers })
      const range = rest.headers.get('content-range')
      const bytes = await bytesOf(rest)
      if (range !== `bytes ${at}-${whole.length - 1}/${whole.length}`)
        expect.fail(`from ${at} on came ${rest.status} with range ${range}`)
      if (!bytes.equals(whole.subarray(at))) expect.fail(`from ${at} on the bytes are others`)
    }
  })

  test('goes on as what it was alone', async () => {
    const headers = { Range: 'bytes=10-', 'If-Range': '"0123456789abcdefghijkl"' }
    const whole = await fetch(urls[kind]!, { headers })
    expect([whole.status, whole.headers.get('content-range')]).toEqual([206, null])
    expect((await bytesOf(whole)).equals(await bytesOf(await fetch(urls[kind]!)))).toBe(true)
    const condition = { ...headers, 'If-Match': headers['If-Range'] }
    expect((await fetch(urls[kind]!, { headers: condition })).status).toBe(412)
  })

  test('has its index, of the kinds that its readers take', async () => {
    const url = urls[kind]!
    const tag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? ''
    const kinds = kind === 'bcf' ? ['csi'] : ['tbi', 'csi']
    for (const index of kinds) {
      const response = await fetch(`${url}&index=${index}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('etag')).toBe(tag.replace(/"$/, `-${index}"`))
      const name = response.headers.get('content-disposition')
      expect(name).toMatch(new RegExp(`filename=made_slice\\.${kind}(\\.gz)?\\.${index}$`))
      const magic = gunzipSync(await bytesOf(response)).toString('latin1', 0, 4)
      expect(magic).toBe(`${index.toUpperCase()}\u0001`)
    }
    const refused = await fetch(`${url}&index=bai`)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(`ask for ${kinds.join(' or ')}`)
  })
})

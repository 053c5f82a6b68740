import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { upgradeRelease } from '../../../engine/commons/index.ts'
import {
  MANIFEST_NAME,
  manifestText,
  readManifest,
} from '../../../engine/commons/release/manifest.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { toFormerForm } from '../../../engine/commons/release/support/former-form.ts'
import { verifyRelease } from '../../../engine/commons/release/verify.ts'
import { openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import { SCALES } from '../../../fixtures/release/scale.ts'
import { depth } from '../../depth.ts'
import { appOf } from '../search/support/app.ts'

// A release of the previous format, before and after an upgrade, is compared with the same release built by this
// version.

const executor = inlineExecutor
const SCALE = { ...SCALES.tiny, files: depth(80, SCALES.tiny.files) }
let folder = ''
let sound = ''
let former = ''
let wantedAnswers: Readonly<Record<string, unknown>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-upgrade-'))
  sound = join(folder, 'sound')
  former = join(folder, 'former')
  const expression = { genes: 12, cases: 20 }
  await buildMadeRelease({
    dataFolder: sound,
    scale: SCALE,
    seed: 3,
    executor,
    id: 'r',
    expression,
  })
  await cp(sound, former, { recursive: true })
  await toFormerForm(new Releases(former).folder('r'))
  wantedAnswers = await answersOf(sound)
})
afterAll(() => rm(folder, { recursive: true }))

/** The answers to every kind of query, without the release's name. */
async function answersOf(dataFolder: string): Promise<Record<string, unknown>> {
  const engine = await openEngine({ dataFolder, executor })
  try {
    await engine.start()
    const app = appOf(engine)
    const answers: Record<string, unknown> = {}
    for (const name of Object.keys(DATASETS)) {
      const asked = await app.request(`/${name}/_mapping`)
      const mapping = (await asked.json()) as { readonly expand: readonly string[] }
      const query = new URLSearchParams({ size: '40', expand: mapping.expand.join(',') })
      answers[name] = await (await app.request(`/${name}?${query}`)).json()
    }
    const facets = 'cases.primary_site,cases.samples.sample_type,data_type,platform'
    answers.facets = await (await app.request(`/files?size=0&facets=${facets}`)).json()
    answers.history = await (await app.request('/files?size=3&fields=file_id&format=tsv')).text()
    return answers
  } finally {
    await engine.close()
  }
}

test('a release of the form before is served as it was', async () => {
  expect(await answersOf(former)).toEqual(wantedAnswers)
})

test('an upgrade makes of it what this version builds, and lacks nothing then', async () => {
  const home = join(folder, 'upgraded')
  await cp(former, home, { recursive: true })
  const steps: number[] = []
  const done = await upgradeRelease({
    dataFolder: home,
    executor,
    onProgress: ({ done, total }) => steps.push(done / total),
  })
  expect(done).toEqual({ id: 'r-format-3', from: 'r' })
  expect(steps.at(-1)).toBe(1)
  const releases = new Releases(home)
  expect(await releases.current()).toBe('r-format-3')
  const { id: _, ...built } = await readManifest(releases.folder('r-format-3'))
  const { id: __, ...wanted } = await readManifest(new Releases(sound).folder('r'))
  expect(built).toEqual(wanted)
  for await (const issue of verifyRelease(releases.folder('r-format-3'))) expect(issue).toBe(null)
  expect(await answersOf(home)).toEqual(wantedAnswers)

  const again = await upgradeRelease({ dataFolder: home, executor })
  expect(again).toEqual({ id: 'r-format-3', from: undefined })
})

test('an upgrade of damaged documents is refused and changes nothing', async () => {
  const home = join(folder, 'damaged')
  await cp(former, home, { recursive: true })
  const releases = new Releases(home)
  const path = join(releases.folder('r'), 'documents/cases.text')
  const text = await readFile(path)
  text.writeUInt8(text.readUInt8(50) ^ 1, 50)
  await writeFile(path, text)
  await expect(upgradeRelease({ dataFolder: home, executor })).rejects.toMatchObject({
    code: 'corrupt_source',
    at: 'documents/cases.text',
  })
  await truncate(path, 10)
  await expect(upgradeRelease({ dataFolder: home, executor })).rejects.toMatchObject({
    code: 'corrupt_source',
  })
  expect(await releases.current()).toBe('r')
  expect(await releases.names()).toEqual(['r'])
})

test('an upgrade that is stopped leaves the release as it was', async () => {
  const home = join(folder, 'stopped')
  await cp(former, home, { recursive: true })
  const controller = new AbortController()
  const stopped = upgradeRelease({
    dataFolder: home,
    executor,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  })
  await expect(stopped).rejects.toThrow()
  const releases = new Releases(home)
  expect(await releases.current()).toBe('r')
  expect(await releases.names()).toEqual(['r'])
})

test('a folder without a release, or with one of a later version, is refused by name', async () => {
  await expect(
    upgradeRelease({ dataFolder: join(folder, 'empty'), executor }),
  ).rejects.toMatchObject({ code: 'not_found' })
  const home = join(folder, 'later')
  await cp(sound, home, { recursive: true })
  const path = join(new Releases(home).folder('r'), MANIFEST_NAME)
  const manifest = await readManifest(new Releases(home).folder('r'))
  await writeFile(path, manifestText({ ...manifest, format: 4 as never }))
  await expect(upgradeRelease({ dataFolder: home, executor })).rejects.toMatchObject({
    code: 'corrupt_source',
    message: expect.stringContaining('a later casemill wrote'),
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../engine.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import type { Issue } from '../../shared/issue.ts'

const place = mkdtempSync(join(tmpdir(), 'casemill-own-dictionary-'))
afterAll(() => rmSync(place, { recursive: true }))

async function issuesOf(engine: Engine): Promise<readonly Issue[]> {
  const issues: Issue[] = []
  for await (const issue of engine.check()) issues.push(issue)
  return issues
}

test('an engine does not start with a wrong dictionary of the user’s, and its check says why', async () => {
  const dictionaryFolder = mkdtempSync(join(place, 'dictionary-'))
  writeFileSync(join(dictionaryFolder, '_terms.yaml'), 'name: [')
  const dataFolder = join(place, 'data')
  const engine = await openEngine({ dataFolder, dictionaryFolder, executor: inlineExecutor })
  try {
    await expect(engine.start()).rejects.toMatchObject({ code: 'bad_input' })
    expect(await issuesOf(engine)).toEqual([
      {
        subject: 'dictionary/_terms.yaml',
        problem: expect.stringMatching(/^cannot be read as plain YAML 1\.2 in UTF-8: .+ at line 1/),
      },
    ])
  } finally {
    await engine.close()
  }
})

test('the project’s dictionary is neither read nor checked before it is asked for', async () => {
  const read: string[] = []
  const executor: typeof inlineExecutor = {
    ...inlineExecutor,
    run: (job, input, options) => {
      read.push(job.name)
      return inlineExecutor.run(job, input, options)
    },
  }
  const engine = await openEngine({ dataFolder: join(place, 'data'), executor })
  try {
    await engine.start()
    expect(await issuesOf(engine)).toEqual([])
    expect(read).not.toContain('dictionary.read')
    expect((await engine.submission.dictionary.current()).types.has('case')).toBe(true)
    expect(read).toContain('dictionary.read')
  } finally {
    await engine.close()
  }
})

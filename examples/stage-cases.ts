import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { openEngine } from 'casemill'
import { ThreadPool } from 'casemill/workers'

// Stages cases on all processors and counts the results. A file has one case per line, as JSON. If the file has
// fewer cases than COUNT, they are repeated.
//   stage-cases.ts DATA_FOLDER ALGORITHM VERSION CASES.ndjson [COUNT]

const [dataFolder, algorithm, version, path, count = '1000000'] = process.argv.slice(2)
if (!dataFolder || !algorithm || !version || !path) {
  throw new Error('give a data folder, an algorithm of it, its version, and a file of cases')
}

const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
async function* cases(most: number): AsyncGenerator<Uint8Array> {
  for (let given = 0; given < most; given += lines.length) {
    yield Buffer.from(`${lines.slice(0, most - given).join('\n')}\n`)
  }
}

const executor = new ThreadPool({ threads: availableParallelism() })
const engine = await openEngine({ dataFolder, executor })
const started = performance.now()
const results = new Map<string, number>()
try {
  const caller = { user: 'example', roles: new Set<never>() }
  const staging = engine.registry.staging.version(caller, { algorithm, version })
  await using staged = await staging.stageLines(cases(Number(count)))
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of staged.body) {
    const answers = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = answers.pop() ?? ''
    for (const answer of answers) {
      const { result = 'no case' } = JSON.parse(answer) as { readonly result?: string }
      results.set(result, (results.get(result) ?? 0) + 1)
    }
  }
} finally {
  await engine.close()
  await executor.close()
}
for (const [result, times] of [...results].sort()) console.log(`${result}\t${times}`)
console.error(`${((performance.now() - started) / 1000).toFixed(1)} s`)

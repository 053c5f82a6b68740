import { demoBytes } from '../../bin/demo-bytes.ts'
import { openEngine } from '../../engine/index.ts'
import { makeDemo } from '../../fixtures/demo.ts'
import { ThreadPool } from '../../workers/pool.ts'

// Makes the demo in a folder as the first `npm start` does, and prints its steps: `node make-demo.ts FOLDER`.

const [dataFolder = ''] = process.argv.slice(2)
const executor = new ThreadPool({ threads: 2 })
const engine = await openEngine({ dataFolder, executor, makeBytes: demoBytes() })
await makeDemo(engine, { onStep: (step) => void process.stdout.write(`${step}\n`) })
await engine.close()
await executor.close()

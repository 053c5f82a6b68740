import { importBam } from '../../../../engine/commons/import/files/import-bam.ts'
import { openEngine } from '../../../../engine/engine.ts'
import { EngineError } from '../../../../engine/shared/errors.ts'
import { inlineExecutor } from '../../../../engine/shared/executor.ts'

// Imports a file in a child process, which a test kills at any moment. Prints its progress and finally how it ended.

const [dataFolder = '', path = ''] = process.argv.slice(2)
const say = (text: string) => process.stdout.write(`${text}\n`)

const engine = await openEngine({ dataFolder, executor: inlineExecutor })
try {
  const { files, blobs, executor, clock } = engine.shared
  const context = { dataFolder, files, blobs, executor, clock, onProgress: () => say('progress') }
  const { file, known } = await importBam({ path, access: 'open' }, context)
  say(known ? `known ${file.id}` : `stored ${file.id}`)
} catch (error) {
  say(error instanceof EngineError ? error.code : String(error))
} finally {
  await engine.close()
}

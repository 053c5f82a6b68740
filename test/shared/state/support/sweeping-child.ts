import { once } from 'node:events'
import { AuditRecord } from '../../../../engine/shared/audit/audit-record.ts'
import { SegmentRegister } from '../../../../engine/shared/audit/segment-register.ts'
import { sharedState } from '../../../../engine/shared-state.ts'

// A process that deletes the days of a record that are over, once its standard input has a byte.

const [root = '', stateUrl = '', now = ''] = process.argv.slice(2)
const database = sharedState({ dataFolder: '', stateUrl })
const clock = () => new Date(now)
const register = new SegmentRegister(database, clock)
const record = new AuditRecord({ root, register, clock, report: () => {}, days: 2 })
await register.nodes()
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const swept = await record.sweep()
await record.close()
await database.close()
process.stdout.write(`${JSON.stringify(swept)}\n`)
process.stdin.destroy()

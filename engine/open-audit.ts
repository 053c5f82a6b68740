import { mkdir } from 'node:fs/promises'
import { AuditRecord } from './shared/audit/audit-record.ts'
import { SegmentRegister } from './shared/audit/segment-register.ts'
import { type VerifiedRecord, verifyRecord } from './shared/audit/verify-record.ts'
import { auditFolder } from './shared/shared.ts'
import { type StatePlace, sharedState } from './shared-state.ts'

const clock = () => new Date()

/**
 * Opens the audit record of a data folder to add lines, passes it to `use`, and closes it. Creates the folder.
 * @throws EngineError as sharedState
 */
export async function withAuditRecord<Result>(
  place: StatePlace,
  use: (record: AuditRecord) => Promise<Result>,
): Promise<Result> {
  await mkdir(place.dataFolder, { recursive: true })
  const database = sharedState(place)
  const record = new AuditRecord({
    root: auditFolder(place.dataFolder),
    register: new SegmentRegister(database, clock),
    clock,
    report: () => {},
    days: 0,
  })
  try {
    return await use(record)
  } finally {
    await record.close()
    await database.close()
  }
}

/**
 * Returns the nodes that share a state and whose records have lines, except those given.
 * @throws EngineError as sharedState
 */
export async function otherNodes(
  place: StatePlace,
  nodes: readonly string[],
): Promise<readonly string[]> {
  const database = sharedState(place)
  try {
    const known = await new SegmentRegister(database, clock).nodes()
    return known.filter((node) => !nodes.includes(node))
  } finally {
    await database.close()
  }
}

/**
 * Verifies the audit records of nodes that share a state; see verifyRecord.
 * @param folders folders of the records
 * @throws EngineError as sharedState
 */
export async function verifyAudit(
  place: StatePlace,
  folders: readonly string[],
): Promise<VerifiedRecord> {
  const database = sharedState(place)
  try {
    // Read before the files, which a running service may continue meanwhile.
    const registered = await new SegmentRegister(database, clock).all()
    return await verifyRecord(folders, registered)
  } finally {
    await database.close()
  }
}

import { describe } from 'vitest'
import { canRun, DIALECTS } from '../database/support/dialects.ts'
import { fileTests } from './support/file-tests.ts'
import { geneTests } from './support/gene-tests.ts'
import { keyTests } from './support/key-tests.ts'
import { notificationTests } from './support/notification-tests.ts'
import { personalTokenTests } from './support/personal-token-tests.ts'
import { serverTests } from './support/server-tests.ts'
import { sessionTests } from './support/session-tests.ts'
import { prepareState } from './support/state-bed.ts'
import { tokenTests } from './support/token-tests.ts'

// All tests share one PostgreSQL server, because it takes longer to start than the tests to run.
for (const dialect of DIALECTS) {
  describe.skipIf(!canRun(dialect))(`state in ${dialect}`, () => {
    const bed = prepareState(dialect)
    describe('tokens', () => tokenTests(bed))
    describe('sessions', () => sessionTests(bed))
    describe('personal tokens', () => personalTokenTests(bed))
    describe('keys', () => keyTests(bed))
    describe('stored files', () => fileTests(bed))
    describe('genes', () => geneTests(bed))
    describe('notifications', () => notificationTests(bed))
    if (dialect === 'postgresql') describe('two servers', () => serverTests(bed))
  })
}

import { OTHERS, testLeftStreams } from './support/left-streams.ts'

// These routes stream like one of those in left-streams.ci.test.ts.

testLeftStreams(OTHERS)

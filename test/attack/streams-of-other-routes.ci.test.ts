import { OTHERS, testLeftStreams } from './support/left-streams.ts'

// Routes that answer by a stream and are made as another one, which left-streams.ci.test.ts asks.

testLeftStreams(OTHERS)

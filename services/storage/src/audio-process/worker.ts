import { parentPort } from 'node:worker_threads'
import { analyzeFile } from '../analysis/analyze-file.ts'
import { judgeAudio } from '../judge-audio.ts'
import type { Done, Task } from './audio-process.ts'

const perform = (task: Task): Promise<Done> =>
  task.kind === 'judge' ? judgeAudio(task.file) : analyzeFile(task)

parentPort?.on('message', (task: Task) => {
  perform(task).then(
    (done) => parentPort?.postMessage({ done }),
    (error: Error) => parentPort?.postMessage({ error: error.message }),
  )
})
parentPort?.postMessage('ready')

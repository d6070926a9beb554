import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../servers/installed.ts'
import { KAFKA_FOLDER, KAFKA_VERSION } from '../servers/kafka.ts'
import { fill } from './cache.ts'

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>prelude</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${KAFKA_VERSION}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`

/** Downloads Kafka's class path from Maven Central. Errors: ServerMissing. */
export const installKafka = (): Promise<void> =>
  fill(KAFKA_FOLDER, async (unfinished) => {
    await writeFile(join(unfinished, 'pom.xml'), POM)
    const goal = ['dependency:copy-dependencies', '-DoutputDirectory=libs', '-DincludeScope=runtime']
    await runTool('mvn', ['-q', '-B', ...goal], { cwd: unfinished })
  })

import { runServer } from './server/start.ts';

await runServer();

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/worker"
)

// jobTokenEnv is the variable that holds the job's token.
const jobTokenEnv = "CANDOR_JOB_TOKEN"

// workerSettings are the flags of worker, and the job's token, which comes from the
// environment only.
type workerSettings struct {
	app.Settings
	logs                  logSettings
	server, job, jobToken string
	followUps             bool
	poll, grace           time.Duration
	spillDir              string
}

const workerDescription = `Works on a job of a server, in a process of its own: it fetches the job's prompt,
runs the agent loop over the workspace, and posts what it does and why. The job's
token, which the server showed when the job was made, is in CANDOR_JOB_TOKEN. The
model is found as serve finds it; nobody is there to approve a call, so tools that
ask are rejected.

The server may go away meanwhile: what is to be posted waits, in memory and then in
a file, and arrives in order and once. A worker that was killed is started again with
the same line, and goes on behind the last step that the job's log shows as complete.
It ends with the job; SIGTERM stops it and leaves the job open.

EXIT STATUS
   0  the job is done, and everything is posted
   1  the job failed, or could not be worked on
   4  the job is over for this worker: ended, cancelled or restarted, taken over by
      another worker, or the token is wrong

EXAMPLES
   CANDOR_JOB_TOKEN=… candor worker --server http://127.0.0.1:8080 --job ID
   candor worker --job ID --workspace ~/project --deny memory_save
   candor worker --job ID --follow-ups     # go on until a prompt says done`

func workerCommand() *cli.Command {
	var s workerSettings
	return &cli.Command{
		Name:        "worker",
		Usage:       "work on a job of a server and post the reasons",
		Description: workerDescription,
		Flags:       workerFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			s.jobToken = os.Getenv(jobTokenEnv)
			return work(ctx, s, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

func workerFlags(s *workerSettings) []cli.Flag {
	return slices.Concat(modelFlags(&s.Model), toolFlags(&s.Tools), safetyFlags(&s.Safety), []cli.Flag{
		&cli.StringFlag{Name: "server", Value: defaultServer, Usage: "work for the server at `URL`",
			Sources: cli.EnvVars("CANDOR_SERVER"), Destination: &s.server},
		&cli.StringFlag{Name: "job", Required: true, Usage: "work on the job `ID`",
			Sources: cli.EnvVars("CANDOR_JOB"), Destination: &s.job},
		&cli.BoolFlag{Name: "follow-ups", Usage: "wait for further prompts until one says that it is the last",
			Sources: cli.EnvVars("CANDOR_FOLLOW_UPS"), Destination: &s.followUps},
		&cli.DurationFlag{Name: "poll", Value: worker.DefaultPoll,
			Usage:   "ask for prompts, and whether the job was cancelled, every `TIME`",
			Sources: cli.EnvVars("CANDOR_POLL"), Destination: &s.poll},
		&cli.StringFlag{Name: "spill-dir",
			Usage: "keep in `DIR` what waits for the server and does not fit in memory; " +
				"else where the system keeps such files",
			Sources: cli.EnvVars("CANDOR_SPILL_DIR"), Destination: &s.spillDir},
		&cli.DurationFlag{Name: "shutdown-timeout", Value: worker.DefaultGrace,
			Usage:   "post what is left for this `TIME` after SIGTERM",
			Sources: cli.EnvVars("CANDOR_SHUTDOWN_TIMEOUT"), Destination: &s.grace},
	}, logFlags(&s.logs))
}

// work works on one job until the job or ctx ends.
func work(ctx context.Context, s workerSettings, stdout, stderr io.Writer) error {
	log, err := s.logs.logger(stderr)
	if err != nil {
		return err
	}
	if s.jobToken == "" {
		return errors.New("CANDOR_JOB_TOKEN is not set: it is the token that POST /api/jobs answered with")
	}
	client, err := worker.NewClient(s.server, s.job, s.jobToken)
	if err != nil {
		return err
	}
	// A tool can read the environment, so the layer has to mask this token too.
	s.Safety.SecretEnv = append(s.Safety.SecretEnv, jobTokenEnv)
	layer, err := app.NewLayer(s.Safety)
	if err != nil {
		return err
	}
	lead, closeAgent, err := app.NewAgent(s.Settings, layer, log)
	if err != nil {
		return err
	}
	defer closeAgent()
	r := &worker.Runtime{
		Client: client, Dispatcher: lead, Log: log,
		FollowUps: s.followUps, Poll: s.poll, Grace: s.grace, SpillDir: s.spillDir,
	}
	log.Info("working", "job", s.job)
	if err := r.Run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "Job %s is done.\n", s.job)
	return nil
}

// Prints one line for each event that Tenure delivers. Start: SIGNING_SECRET=whsec_… go run go.go
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// verify returns an error unless body, as it arrived, was signed with the secret, no more than five minutes from now.
func verify(header string, body []byte, secret string) error {
	fields := map[string]string{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = value
	}
	timestamp, err := strconv.ParseInt(fields["t"], 10, 64)
	if err != nil || fields["v1"] == "" {
		return errors.New("missing or malformed Service-Signature")
	}
	if age := time.Now().Unix() - timestamp; age > 300 || age < -300 {
		return errors.New("timestamp more than 5 minutes away")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(fields["t"] + "."))
	mac.Write(body)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(fields["v1"])) {
		return errors.New("wrong signature")
	}
	return nil
}

func main() {
	secret := os.Getenv("SIGNING_SECRET")
	if secret == "" {
		fmt.Fprintln(os.Stderr, "SIGNING_SECRET is missing: set it to the whsec_… of your webhook endpoint.")
		os.Exit(1)
	}
	// Events can arrive more than once. In memory for the sketch: keep the ids in your database, together with what you did.
	var seen sync.Map

	receive := func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var event struct {
			ID   string `json:"id"`
			Type string `json:"type"`
			Data struct {
				Object struct {
					ID string `json:"id"`
				} `json:"object"`
			} `json:"data"`
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1_000_000))
		if err == nil {
			err = verify(r.Header.Get("Service-Signature"), body, secret)
		}
		if err == nil {
			err = json.Unmarshal(body, &event)
		}
		if err != nil {
			fmt.Println("refused:", err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, isDuplicate := seen.LoadOrStore(event.ID, true); isDuplicate {
			fmt.Println("duplicate", event.ID)
		} else {
			fmt.Println("verified", event.ID, event.Type, event.Data.Object.ID)
		}
		w.WriteHeader(http.StatusNoContent)
	}
	address := "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "5000")
	server := http.Server{Addr: address, Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
